//go:build !faults

package fault

// Point does nothing: this binary was built without the tag "faults".
func Point(string) {}
