;; SPDX-License-Identifier: Apache-2.0
;; SBCL, which has handlers of its own for faults: sbcl --script host.lisp LIBRARY.
(load-shared-object (second sb-ext:*posix-argv*))
(sb-ext:exit :code (sb-alien:alien-funcall
                    (sb-alien:extern-alien "steps" (function sb-alien:int sb-alien:c-string)) "clpy")
             :abort t)
