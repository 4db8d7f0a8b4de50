"""The same bits on every processor: arithmetic that hangs on no library's choice for the processor at hand.

BLAS and LAPACK (behind `@`, `dot`, `numpy.linalg`), the C library and numpy's own vector code pick another
implementation of a product, a sine or a sort for each kind of processor, and each rounds in its own way. A last bit
decides at times whether a bond breaks. So everything that decides a result is made of what IEEE 754 fixes to the bit:
+, -, *, /, the square root and exact scaling by powers of two, in an order that is written down here.

- `products`: products of vectors and of small matrices, and sums of them
- `elementary`: exponentials, logarithms, powers, roots and, from `angles`, sines and arctangents; for numbers, arrays
  and numbers in kernels (`elementwise`)
- `double_double`: sums and products without an error, and numbers of twice the digits
- `small_matrices`: determinants, inverses, eigenvectors of small matrices
- `draws`: random numbers of other laws than the uniform one
"""
