;; Finds the last row end of CSV bytes, 64 bytes at a time.
;;
;; A quote opens a quoted field at the start of a field: after a comma or a line end, or after one space there. In a quoted
;; field a quote closes it, and another quote directly after that opens it again. Any other quote is an ordinary
;; character of an unquoted field: such quotes are rare, and are taken out of the quotes one by one.
;;
;; The byte before the first one is a comma where the bytes begin at the start of a field, a space after a comma where they
;; begin after one space there, and otherwise one that is no space, comma or line end. Up to 64 bytes after the last one are read and ignored.
(module
  ;; 1 MiB of bytes to scan, after 64 bytes and before another page.
  (memory (export "memory") 17)
  ;; The state before and after the bytes. All ones inside quotes, otherwise 0.
  (global $inside (export "inside") (mut i64) (i64.const 0))
  ;; 1 where the last byte was a quote that closed a field, otherwise 0.
  (global $closed (export "closed") (mut i64) (i64.const 0))
  ;; 1 to look for quotes that close a field and are not followed by a quote, comma or line end; then 2 where there is
  ;; one. The last byte is not looked at.
  (global $following (export "following") (mut i32) (i32.const 0))
  ;; Set to 1 where a quote is an ordinary character of an unquoted field.
  (global $ordinary (export "ordinary") (mut i32) (i32.const 0))

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

  ;; All ones in the lanes that are a comma or a line end.
  (func $separates (param $bytes v128) (result v128)
    (v128.or
      (i8x16.eq (local.get $bytes) (v128.const i8x16 44 44 44 44 44 44 44 44 44 44 44 44 44 44 44 44))
      (v128.or
        (i8x16.eq (local.get $bytes) (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))
        (i8x16.eq (local.get $bytes) (v128.const i8x16 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13 13)))))

  ;; A bit for each of the 64 bytes that is a comma or a line end.
  (func $separators (param $at i32) (result i64)
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (call $separates (v128.load align=1 (local.get $at)))))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $separates (v128.load offset=16 align=1 (local.get $at)))))
          (i64.const 16)))
      (i64.or
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $separates (v128.load offset=32 align=1 (local.get $at)))))
          (i64.const 32))
        (i64.shl
          (i64.extend_i32_u (i8x16.bitmask (call $separates (v128.load offset=48 align=1 (local.get $at)))))
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

  ;; True where the byte stands after one space at the start of a field.
  (func $isAfterSpace (param $at i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (i32.sub (local.get $at) (i32.const 2))))
    (i32.and
      (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 32))
      (i32.or
        (i32.eq (local.get $byte) (i32.const 44))
        (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13))))))

  ;; Reads the bytes from `at` to `end` and returns the index after the last row end, or -1.
  (func (export "scan") (param $at i32) (param $end i32) (result i32)
    (local $quotes i64)
    (local $quoted i64)
    (local $mayOpen i64)
    (local $wrong i64)
    (local $lowest i64)
    (local $newlines i64)
    (local $isOrdinary i32)
    (local $last i32)
    (local $found i32)
    ;; From here on, every quote opens or closes.
    (local $clean i32)
    (local.set $last (i32.const -1))
    (local.set $clean (local.get $at))
    (block $done
      (loop $next
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $quotes
          (call $bytesThatAre (local.get $at)
            (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34)))
        (if (i64.eqz (local.get $quotes))
          (then (global.set $closed (i64.const 0)))
          (else
            (local.set $quotes (i64.and (local.get $quotes) (call $before (local.get $at) (local.get $end))))
            (local.set $mayOpen (i64.or (call $separators (i32.sub (local.get $at) (i32.const 1))) (global.get $closed)))
            (local.set $isOrdinary (i32.const 0))
            (block $allRight
              (loop $again
                (local.set $quoted (i64.xor (call $between (local.get $quotes)) (global.get $inside)))
                (local.set $wrong
                  (i64.and
                    (i64.and (local.get $quotes) (local.get $quoted))
                    (i64.xor
                      (i64.or (local.get $mayOpen) (i64.shl (local.get $quotes) (i64.const 1)))
                      (i64.const -1))))
                (br_if $allRight (i64.eqz (local.get $wrong)))
                (local.set $lowest
                  (i64.and (local.get $wrong) (i64.sub (i64.const 0) (local.get $wrong))))
                (if (call $isAfterSpace
                      (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $wrong)))))
                  (then (local.set $mayOpen (i64.or (local.get $mayOpen) (local.get $lowest))))
                  (else
                    (local.set $quotes (i64.xor (local.get $quotes) (local.get $lowest)))
                    (local.set $isOrdinary (i32.const 1))))
                (br $again)))
            (if (local.get $isOrdinary)
              (then
                (global.set $ordinary (i32.const 1))
                ;; The search from the end stops here, so look at the newlines now.
                (local.set $newlines
                  (i64.and
                    (i64.and
                      (call $bytesThatAre (local.get $at)
                        (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10))
                      (call $before (local.get $at) (local.get $end)))
                    (i64.xor (local.get $quoted) (i64.const -1))))
                (local.set $found
                  (if (result i32) (i64.eqz (local.get $newlines))
                    (then (call $lastRowEnd (local.get $clean) (local.get $at)))
                    (else
                      (i32.sub
                        (i32.add (local.get $at) (i32.const 64))
                        (i32.wrap_i64 (i64.clz (local.get $newlines)))))))
                (if (i32.ge_s (local.get $found) (i32.const 0))
                  (then (local.set $last (local.get $found))))
                (local.set $clean (i32.add (local.get $at) (i32.const 64)))))
            (if (global.get $following)
              (then
                (if (i64.ne (i64.const 0)
                      (i64.and
                        (i64.and
                          (i64.and (local.get $quotes) (i64.xor (local.get $quoted) (i64.const -1)))
                          (call $before (local.get $at) (i32.sub (local.get $end) (i32.const 1))))
                        (i64.xor (i64.const -1)
                          (i64.or
                            (call $separators (i32.add (local.get $at) (i32.const 1)))
                            (call $bytesThatAre (i32.add (local.get $at) (i32.const 1))
                              (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))))))
                  (then (global.set $following (i32.const 2))))))
            (global.set $inside (i64.shr_s (local.get $quoted) (i64.const 63)))
            (global.set $closed
              (i64.and
                (i64.shr_u
                  (i64.and (local.get $quotes) (i64.xor (local.get $quoted) (i64.const -1)))
                  (select
                    (i64.const 63)
                    (i64.extend_i32_u (i32.sub (i32.sub (local.get $end) (local.get $at)) (i32.const 1)))
                    (i32.ge_s (i32.sub (local.get $end) (local.get $at)) (i32.const 64))))
                (i64.const 1)))))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $next)))
    (local.set $found (call $lastRowEnd (local.get $clean) (local.get $end)))
    (select (local.get $found) (local.get $last) (i32.ge_s (local.get $found) (i32.const 0))))

  ;; Returns the index after the last newline outside quotes from `start` to `end`, or -1. `inside` is the state at
  ;; `end`, and every quote opens or closes.
  (func $lastRowEnd (param $start i32) (param $end i32) (result i32)
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
