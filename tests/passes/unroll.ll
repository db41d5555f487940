; RUN: unroll
; A loop whose counter alone indexes a small array goes, and the array with it; the loop that only counts stays, and
; so does an array with an index that is not known.
declare void @_Z7barrierj(i32) convergent

; CHECK-LABEL: define spir_kernel void @k
; CHECK-NOT: alloca [4 x i32]
; CHECK: alloca [8 x i32]
; CHECK-NOT: alloca [4 x i32]
; CHECK: {{^}}outer:
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %o, i32 %n, i64 %m) {
entry:
  %a = alloca [4 x i32]
  %b = alloca [8 x i32]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %i
  %t = trunc i64 %i to i32
  %x = mul i32 %t, %n
  store i32 %x, ptr %p
  %q = getelementptr i32, ptr %b, i64 %i
  store i32 %x, ptr %q
  %i1 = add i64 %i, 1
  %again = icmp ult i64 %i1, 4
  br i1 %again, label %fill, label %outer
outer:
  %k = phi i32 [ 0, %fill ], [ %k1, %after ]
  br label %inner
inner:
  %j = phi i64 [ 1, %outer ], [ %j1, %body ]
  %go = icmp slt i64 %j, 4
  br i1 %go, label %body, label %after
body:
  %down = sub i64 %j, 1
  %pd = getelementptr [4 x i32], ptr %a, i64 0, i64 %down
  %pj = getelementptr [4 x i32], ptr %a, i64 0, i64 %j
  %vd = load i32, ptr %pd
  %vj = load i32, ptr %pj
  %s = add i32 %vd, %vj
  store i32 %s, ptr %pj
  %j1 = add i64 %j, 1
  br label %inner
after:
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %outer, label %done
done:
  %last = getelementptr [4 x i32], ptr %a, i64 0, i64 3
  %v = load i32, ptr %last
  %any = and i64 %m, 7
  %qm = getelementptr i32, ptr %b, i64 %any
  %w = load i32, ptr %qm
  %r = add i32 %v, %w
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: define spir_kernel void @with_barrier
; CHECK: alloca [4 x i32]
; CHECK: call void @_Z7barrierj
; CHECK-NOT: call void @_Z7barrierj
; CHECK: ret void
define spir_kernel void @with_barrier(ptr addrspace(1) %o, i32 %n) {
entry:
  %a = alloca [4 x i32]
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %i
  store i32 %n, ptr %p
  call void @_Z7barrierj(i32 1)
  %i1 = add i64 %i, 1
  %again = icmp ult i64 %i1, 4
  br i1 %again, label %loop, label %done
done:
  %last = getelementptr [4 x i32], ptr %a, i64 0, i64 3
  %v = load i32, ptr %last
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; Two counters of one loop, of which one has the test; and a loop with an index that has no steady step stays.
; CHECK-LABEL: define spir_kernel void @two_counters
; CHECK-NOT: alloca [4 x i32]
; CHECK: alloca [8 x i32]
; CHECK-NOT: alloca
; CHECK: ret void
define spir_kernel void @two_counters(ptr addrspace(1) %o, i32 %n) {
entry:
  %a = alloca [4 x i32]
  %b = alloca [8 x i32]
  br label %fill
fill:
  %down = phi i64 [ 3, %entry ], [ %down1, %fill ]
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %up = phi i64 [ 0, %entry ], [ %up1, %fill ]
  %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %down
  %t = trunc i64 %i to i32
  %x = mul i32 %t, %n
  store i32 %x, ptr %p
  %q = getelementptr [4 x i32], ptr %a, i64 0, i64 %up
  %v = load i32, ptr %q
  %r = getelementptr [4 x i32], ptr %a, i64 0, i64 %i
  store i32 %v, ptr %r
  %down1 = add i64 %down, -1
  %up1 = add i64 %up, 1
  %i1 = add i64 %i, 1
  %again = icmp ult i64 %i1, 4
  br i1 %again, label %fill, label %wild
wild:
  %k = phi i64 [ 0, %fill ], [ %k1, %wild ]
  %w = phi i64 [ 0, %fill ], [ %w1, %wild ]
  %pb = getelementptr [8 x i32], ptr %b, i64 0, i64 %k
  store i32 %n, ptr %pb
  %pw = getelementptr [8 x i32], ptr %b, i64 0, i64 %w
  store i32 7, ptr %pw
  %w0 = mul i64 %w, 3
  %w2 = add i64 %w0, 1
  %w1 = and i64 %w2, 7
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, 8
  br i1 %more, label %wild, label %done
done:
  %last = getelementptr [4 x i32], ptr %a, i64 0, i64 3
  %va = load i32, ptr %last
  %n8 = zext i32 %n to i64
  %at = and i64 %n8, 7
  %lb = getelementptr [8 x i32], ptr %b, i64 0, i64 %at
  %vb = load i32, ptr %lb
  %s = add i32 %va, %vb
  store i32 %s, ptr addrspace(1) %o
  ret void
}

; A loop through a row of as many elements as it has turns is a way to write the members of a structure.
; CHECK-LABEL: define spir_kernel void @members
; CHECK: getelementptr {{.+}} %a
; CHECK: getelementptr {{.+}} %a
; CHECK: getelementptr {{.+}} %a
; CHECK: br i1 %more, label %{{.+}}, label %done
; CHECK-LABEL: define spir_kernel void @longer_rows
; CHECK: phi i32
; CHECK: phi i32
define spir_kernel void @members(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %x, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %after ]
  %s = phi float [ 0.0, %entry ], [ %s1, %after ]
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %k1, %loop ]
  %t = phi float [ %s, %outer ], [ %s1, %loop ]
  %row = mul nsw i32 %x, 3
  %at = add nsw i32 %row, %k
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %t, %v
  %k1 = add i32 %k, 1
  %go = icmp ult i32 %k1, 3
  br i1 %go, label %loop, label %after
after:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %done
done:
  store float %s1, ptr addrspace(1) %c
  ret void
}

define spir_kernel void @longer_rows(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %x, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %after ]
  %s = phi float [ 0.0, %entry ], [ %s1, %after ]
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %k1, %loop ]
  %t = phi float [ %s, %outer ], [ %s1, %loop ]
  %row = mul nsw i32 %x, 100
  %at = add nsw i32 %row, %k
  %wide = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %t, %v
  %k1 = add i32 %k, 1
  %go = icmp ult i32 %k1, 3
  br i1 %go, label %loop, label %after
after:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %done
done:
  store float %s1, ptr addrspace(1) %c
  ret void
}

; What a table of constants has at places that counters lead to is known as well.
; CHECK-LABEL: define spir_kernel void @by_table
; CHECK-NOT: alloca
; CHECK: ret void
@table = internal addrspace(2) constant [4 x i32] [i32 2, i32 0, i32 3, i32 1]
define spir_kernel void @by_table(ptr addrspace(1) %o, i32 %n) {
entry:
  %a = alloca [4 x i32]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %at = getelementptr [4 x i32], ptr addrspace(2) @table, i64 0, i64 %i
  %place = load i32, ptr addrspace(2) %at
  %wide = sext i32 %place to i64
  %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %wide
  %t = trunc i64 %i to i32
  %x = mul i32 %t, %n
  store i32 %x, ptr %p
  %i1 = add i64 %i, 1
  %again = icmp ult i64 %i1, 4
  br i1 %again, label %fill, label %done
done:
  %last = getelementptr [4 x i32], ptr %a, i64 0, i64 3
  %v = load i32, ptr %last
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; The type of an array says the same: a counter that goes through all of its elements.
; CHECK-LABEL: define spir_kernel void @by_type
; CHECK-NOT: phi
; CHECK: ret void
%place = type { i64, [3 x double] }
define spir_kernel void @by_type(ptr addrspace(1) %o, i64 %n) {
entry:
  %row = getelementptr %place, ptr addrspace(1) %o, i64 %n, i32 1
  br label %all
all:
  %i = phi i32 [ 0, %entry ], [ %i1, %all ]
  %wide = zext i32 %i to i64
  %p = getelementptr double, ptr addrspace(1) %row, i64 %wide
  %v = load double, ptr addrspace(1) %p
  %w = fmul double %v, 2.0
  store double %w, ptr addrspace(1) %p
  %i1 = add i32 %i, 1
  %go = icmp ult i32 %i1, 3
  br i1 %go, label %all, label %done
done:
  ret void
}
