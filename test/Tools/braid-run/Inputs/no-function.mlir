// A declaration only.
func.func private @f()
