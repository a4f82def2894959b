1 1.0 0.5 example1|w the cat:2.5 |s sat
-1 |w a dog
