;; SPDX-License-Identifier: Apache-2.0
;; Guile, whose garbage collector stops threads by signals: guile host.scm LIBRARY.
(use-modules (system foreign))
(define steps
  (pointer->procedure int (dynamic-func "steps" (dynamic-link (cadr (command-line)))) (list '*)))
(define code (steps (string->pointer "clpy")))
(gc)
(exit (+ code (steps (string->pointer "clpy"))))
