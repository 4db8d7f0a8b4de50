"""Breaking by level sets, as printed in Su, Schroeder and Fedkiw 2009: pieces as labels on a grid, a third cutter."""
