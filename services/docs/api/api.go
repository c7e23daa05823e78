// Package api will hold the OpenAPI documents of the docs area. There are none
// yet: the area starts with the common tools.
package api

import "embed"

// Documents are the area's OpenAPI documents; add *.yaml files and embed them.
var Documents embed.FS
