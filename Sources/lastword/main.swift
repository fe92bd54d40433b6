// Only the start is here: in Swift 6 mode a closure in this file would belong to the main actor.
import ArgumentParser

Lastword.main()
