;; Finds the last row end of CSV bytes, 64 bytes at a time, where every quote opens or closes a quoted field.
;;
;; A quote changes between outside and inside. That is only right while each quote that opens stands at the start of a
;; field: after a comma, a line end or the quote that closed (`""` in a quoted field), with spaces between only where no
;; quote closed. The scan stops before bytes where it is not; scanner.ts reads those byte by byte.
;;
;; The byte before the first one says in which state the bytes begin, so it must be a comma, a line end, a quote that
;; closed, or a letter for the middle of an unquoted field. Up to 64 bytes after the last one are read and ignored.
(module
  ;; 1 MiB of bytes to scan, after 64 bytes and before another page.
  (memory (export "memory") 17)
  ;; All ones where the bytes at which `scan` stopped are inside quotes, otherwise 0.
  (global $inside (export "inside") (mut i64) (i64.const 0))

  ;; A bit for each of the 64 bytes that is `byte`.
  (func $bytesThatAre (param $at i32) (param $byte v128) (result i64)
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $byte))))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (v128.load offset=16 align=1 (local.get $at)) (local.get $byte))))
          (i64.const 16)))
      (i64.or
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (v128.load offset=32 align=1 (local.get $at)) (local.get $byte))))
          (i64.const 32))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (v128.load offset=48 align=1 (local.get $at)) (local.get $byte))))
          (i64.const 48)))))

  ;; All ones in the lanes after which a field begins, or after which a quote continues a quoted field.
  (func $beginsField (param $bytes v128) (result v128)
    (v128.or
      (v128.or
        (i8x16.eq (local.get $bytes) (v128.const i8x16 44 44 44 44 44 44 44 44 44 44 44 44 44 44 44 44))
        (i8x16.eq (local.get $bytes) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34)))
      (v128.or
        (i8x16.eq (local.get $bytes) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))
        (i8x16.eq (local.get $bytes) (v128.const i8x16 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13)))))

  ;; A bit for each of the 64 bytes whose predecessor allows a quote to open there.
  (func $mayOpen (param $at i32) (result i64)
    (local $before i32)
    (local.set $before (i32.sub (local.get $at) (i32.const 1)))
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (call $beginsField (v128.load align=1 (local.get $before)))))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $beginsField (v128.load offset=16 align=1 (local.get $before)))))
          (i64.const 16)))
      (i64.or
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $beginsField (v128.load offset=32 align=1 (local.get $before)))))
          (i64.const 32))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $beginsField (v128.load offset=48 align=1 (local.get $before)))))
          (i64.const 48)))))

  ;; Ones from each odd bit to the bit before the next even one: the bytes from a quote that opens to before its end.
  (func $between (param $quotes i64) (result i64)
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 1))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 2))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 4))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 8))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 16))))
    (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 32))))

  ;; Ones for the bytes from `at` that are before `end`.
  (func $before (param $at i32) (param $end i32) (result i64)
    (local $left i32)
    (local.set $left (i32.sub (local.get $end) (local.get $at)))
    (if (result i64) (i32.ge_s (local.get $left) (i32.const 64))
      (then (i64.const -1))
      (else (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $left))) (i64.const 1)))))

  ;; True where each of the quotes stands after spaces at the start of a field.
  (func $allAfterSpaces (param $at i32) (param $quotes i64) (result i32)
    (local $byte i32)
    (local $back i32)
    (loop $next (result i32)
      (local.set $back (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $quotes)))))
      (loop $space
        (local.set $back (i32.sub (local.get $back) (i32.const 1)))
        (local.set $byte (i32.load8_u (local.get $back)))
        (br_if $space (i32.eq (local.get $byte) (i32.const 32))))
      (if (result i32)
        (i32.or
          (i32.eq (local.get $byte) (i32.const 44))
          (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13))))
        (then
          (local.set $quotes (i64.and (local.get $quotes) (i64.sub (local.get $quotes) (i64.const 1))))
          (br_if $next (i64.ne (local.get $quotes) (i64.const 0)))
          (i32.const 1))
        (else (i32.const 0)))))

  ;; Reads the bytes from `at` to `end` and returns where it stopped. `inside` is the state before and after.
  (func (export "scan") (param $at i32) (param $end i32) (result i32)
    (local $quotes i64)
    (local $quoted i64)
    (local $wrong i64)
    (block $stop
      (loop $next
        (br_if $stop (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $quotes
          (call $bytesThatAre (local.get $at)
            (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34)))
        (if (i64.ne (local.get $quotes) (i64.const 0))
          (then
            (local.set $quotes (i64.and (local.get $quotes) (call $before (local.get $at) (local.get $end))))
            (local.set $quoted (i64.xor (call $between (local.get $quotes)) (global.get $inside)))
            (local.set $wrong
              (i64.and
                (i64.and (local.get $quotes) (local.get $quoted))
                (i64.xor (call $mayOpen (local.get $at)) (i64.const -1))))
            (if (i64.ne (local.get $wrong) (i64.const 0))
              (then (br_if $stop (i32.eqz (call $allAfterSpaces (local.get $at) (local.get $wrong))))))
            (global.set $inside (i64.shr_s (local.get $quoted) (i64.const 63)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $next)))
    (if (result i32) (i32.gt_s (local.get $at) (local.get $end))
      (then (local.get $end))
      (else (local.get $at))))

  ;; Returns the index after the last newline outside quotes from `start` to `end`, where `inside` is the state, or -1.
  (func (export "lastRowEnd") (param $start i32) (param $end i32) (result i32)
    (local $at i32)
    (local $after i64)
    (local $quoted i64)
    (local $newlines i64)
    (local $known i64)
    (local.set $after (global.get $inside))
    (local.set $at
      (i32.add
        (local.get $start)
        (i32.and (i32.sub (i32.sub (local.get $end) (local.get $start)) (i32.const 1)) (i32.const -64))))
    (loop $previous
      (if (i32.ge_s (local.get $at) (local.get $start))
        (then
          (local.set $known (call $before (local.get $at) (local.get $end)))
          (local.set $quoted
            (call $between
              (i64.and (local.get $known)
                (call $bytesThatAre (local.get $at)
                  (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34)))))
          ;; The state before these bytes is the state after them, changed by each of their quotes.
          (local.set $after (i64.xor (local.get $after) (i64.shr_s (local.get $quoted) (i64.const 63))))
          (local.set $newlines
            (i64.and
              (i64.and (local.get $known)
                (call $bytesThatAre (local.get $at)
                  (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10)))
              (i64.xor (i64.xor (local.get $quoted) (local.get $after)) (i64.const -1))))
          (if (i64.ne (local.get $newlines) (i64.const 0))
            (then
              (return
                (i32.sub
                  (i32.add (local.get $at) (i32.const 64))
                  (i32.wrap_i64 (i64.clz (local.get $newlines)))))))
          (local.set $at (i32.sub (local.get $at) (i32.const 64)))
          (br $previous))))
    (i32.const -1)))
