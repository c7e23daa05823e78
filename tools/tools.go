// Package tools pins the versions of the tools that build and check Comporta
// (go.mod) and holds the checks of the repository's own rules (arrows).
package tools
