package say

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sentences are the formats that the code gives to callers, each with a place
// where it stands; vague are the places whose format cannot be read from there.
type sentences struct {
	said  map[string]string
	vague []string
}

// sentencesOf reads the Go source below the folders, tests left out.
func sentencesOf(t *testing.T, roots ...string) sentences {
	t.Helper()
	fset, packages := token.NewFileSet(), map[string][]*ast.File{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, ".pb.go"):
				return nil
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	found := sentences{said: map[string]string{}}
	for _, files := range packages {
		r := &reader{fset: fset, files: files, takers: map[string]int{}, said: found.said}
		r.read()
		found.vague = append(found.vague, r.vague...)
	}
	return found
}

// reader reads one package.
type reader struct {
	fset  *token.FileSet
	files []*ast.File
	// takers are the package's own functions that hand a parameter on as a format,
	// with its place.
	takers map[string]int
	said   map[string]string
	vague  []string
}

// read goes over the package until no further taker comes to light.
func (r *reader) read() {
	for known := -1; known < len(r.takers); {
		known, r.vague = len(r.takers), nil
		for _, file := range r.files {
			for _, decl := range file.Decls {
				ast.Inspect(decl, func(n ast.Node) bool {
					if format := r.format(n); format != nil {
						r.take(decl, format)
					}
					return true
				})
			}
		}
	}
}

// format is the expression that n gives as a format; nil where it gives none.
func (r *reader) format(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		if at := r.formatArgument(n.Fun); at >= 0 && at < len(n.Args) {
			return n.Args[at]
		}
	case *ast.CompositeLit:
		if r.isProblems(n.Type, "Sentence") && len(n.Elts) > 0 {
			if pair, ok := n.Elts[0].(*ast.KeyValueExpr); ok {
				return pair.Value
			}
			return n.Elts[0]
		}
	}
	return nil
}

// formatArgument is which argument of the function is a format; -1 for none.
func (r *reader) formatArgument(fun ast.Expr) int {
	if r.isProblems(fun, "New") {
		return 1
	}
	switch fun := fun.(type) {
	case *ast.SelectorExpr:
		if fun.Sel.Name == "ToDo" {
			return 0
		}
		if at, ok := r.takers[fun.Sel.Name]; ok {
			return at
		}
	case *ast.Ident:
		if at, ok := r.takers[fun.Name]; ok {
			return at
		}
	}
	return -1
}

// isProblems reports whether e names something of package problem.
func (r *reader) isProblems(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		from, ok := e.X.(*ast.Ident)
		return ok && from.Name == "problem" && e.Sel.Name == name
	case *ast.Ident:
		return e.Name == name && r.files[0].Name.Name == "problem"
	}
	return false
}

func (r *reader) take(decl ast.Decl, format ast.Expr) {
	if function, ok := decl.(*ast.FuncDecl); ok {
		if at := parameter(function, format); at >= 0 {
			r.takers[function.Name.Name] = at
			return
		}
	}
	texts, ok := r.texts(decl, format)
	if !ok {
		r.vague = append(r.vague, r.place(format))
	}
	for _, text := range texts {
		r.said[text] = r.place(format)
	}
}

// parameter is which parameter of the function e is; -1 for none.
func parameter(function *ast.FuncDecl, e ast.Expr) int {
	name, ok := e.(*ast.Ident)
	if !ok {
		return -1
	}
	at := 0
	for _, field := range function.Type.Params.List {
		for _, own := range field.Names {
			if own.Name == name.Name {
				return at
			}
			at++
		}
	}
	return -1
}

// texts are the constant texts that e may be.
func (r *reader) texts(decl ast.Decl, e ast.Expr) ([]string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return []string{text}, e.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return r.texts(decl, e.X)
	case *ast.BinaryExpr:
		left, ok := r.texts(decl, e.X)
		right, too := r.texts(decl, e.Y)
		if !ok || !too || len(left) != 1 || len(right) != 1 {
			return nil, false
		}
		return []string{left[0] + right[0]}, true
	case *ast.Ident:
		if value := r.declared(decl, token.CONST, e.Name); value != nil {
			return r.texts(decl, value)
		}
	case *ast.IndexExpr: // of a map of the package
		if name, ok := e.X.(*ast.Ident); ok {
			return r.values(decl, name.Name)
		}
	}
	return nil, false
}

// values are all texts of a map.
func (r *reader) values(decl ast.Decl, name string) (all []string, ok bool) {
	literal, ok := r.declared(decl, token.VAR, name).(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		texts, ok := r.texts(decl, pair.Value)
		if !ok {
			return nil, false
		}
		all = append(all, texts...)
	}
	return all, true
}

// declared is the value that name has in decl, or else in the package; nil where it has none.
func (r *reader) declared(decl ast.Decl, kind token.Token, name string) (value ast.Expr) {
	look := func(n ast.Node) bool {
		group, ok := n.(*ast.GenDecl)
		if !ok || group.Tok != kind {
			return value == nil
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			if at := slices.IndexFunc(spec.Names, func(own *ast.Ident) bool { return own.Name == name }); at >= 0 && at < len(spec.Values) {
				value = spec.Values[at]
			}
		}
		return value == nil
	}
	ast.Inspect(decl, look)
	for _, file := range r.files {
		for _, top := range file.Decls {
			if _, ok := top.(*ast.GenDecl); ok && value == nil {
				look(top)
			}
		}
	}
	return value
}

func (r *reader) place(e ast.Expr) string {
	at := r.fset.Position(e.Pos())
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}
