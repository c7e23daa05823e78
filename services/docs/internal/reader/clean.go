package reader

import (
	"regexp"
	"strings"
)

// line is one line of a page without components.
type line struct {
	text string
	code bool // inside a fence
}

// pattern is an expression with a mark that each of its matches holds. Most lines
// of a page have none, and are spared the search.
type pattern struct {
	mark string
	*regexp.Regexp
}

func (p pattern) in(l string) bool { return strings.Contains(l, p.mark) && p.MatchString(l) }

func (p pattern) replace(l, with string) string {
	if !strings.Contains(l, p.mark) {
		return l
	}
	return p.ReplaceAllString(l, with)
}

var (
	// codeOpen is the component in which MDX pages keep code: <Code lang="sh" code={`
	codeOpen = pattern{"<Code", regexp.MustCompile("^\\s*<Code\\b[^`]*code=\\{`")}
	codeLang = regexp.MustCompile(`\blang=["'{]*([A-Za-z0-9+-]+)`)
	link     = pattern{"](", regexp.MustCompile(`(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+"[^"]*")?\)`)}
	tag      = pattern{"<", regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9.:-]*(?:\s[^<>]*)?/?>`)}
	mdxNote  = pattern{"{/*", regexp.MustCompile(`\{/\*.*?\*/\}`)}
	htmlNote = pattern{"<!--", regexp.MustCompile(`<!--.*?-->`)}
	esmLine  = pattern{"port", regexp.MustCompile(`^(?:import\s.*?\bfrom\s*["']|import\s*["']|import\s*\{\s*$|export\s+(?:default|const|function)\b)`)}
)

// cleaner walks over a page's lines and keeps its text.
type cleaner struct {
	out    []line
	fence  string // the marks that close the code block; "" outside
	inTag  bool   // a component's tag goes on over lines
	inNote string // the end of a comment that goes on over lines
	inESM  bool   // an import goes on over lines
}

// clean takes away imports, components, comments and the addresses of links, and
// leaves code alone.
func clean(text string) []line {
	c := &cleaner{}
	for l := range strings.SplitSeq(text, "\n") {
		c.line(l)
	}
	return c.out
}

func (c *cleaner) line(l string) {
	trimmed := strings.TrimSpace(l)
	switch {
	case c.fence != "":
		c.code(l, trimmed)
	case c.inNote != "":
		if strings.Contains(l, c.inNote) {
			c.inNote = ""
		}
	case c.inESM:
		c.inESM = !strings.Contains(l, "from ")
	case c.inTag:
		if _, rest, closed := strings.Cut(l, ">"); closed {
			c.inTag = false
			c.prose(rest)
		}
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		c.fence = trimmed[:3]
		c.out = append(c.out, line{trimmed, true})
	case codeOpen.in(l):
		c.component(l)
	case esmLine.in(l):
		c.inESM = strings.HasSuffix(trimmed, "{")
	default:
		c.prose(l)
	}
}

// code keeps a line of a code block and sees its end.
func (c *cleaner) code(l, trimmed string) {
	if c.fence == "`}" {
		if before, _, closed := strings.Cut(l, "`}"); closed {
			if strings.TrimSpace(before) != "" {
				c.out = append(c.out, line{before, true})
			}
			c.out = append(c.out, line{"```", true})
			c.fence = ""
			return
		}
	} else if strings.HasPrefix(trimmed, c.fence) {
		c.fence = ""
	}
	c.out = append(c.out, line{l, true})
}

// component opens a code block that MDX writes as <Code code={`…`} />.
func (c *cleaner) component(l string) {
	open := codeOpen.FindString(l)
	lang := ""
	if m := codeLang.FindStringSubmatch(open); m != nil {
		lang = m[1]
	}
	c.out = append(c.out, line{"```" + lang, true})
	c.fence = "`}"
	if rest := l[len(open):]; rest != "" {
		c.code(rest, strings.TrimSpace(rest))
	}
}

// prose keeps the text of a line outside code.
func (c *cleaner) prose(l string) {
	l = htmlNote.replace(mdxNote.replace(l, ""), "")
	for open, end := range map[string]string{"{/*": "*/}", "<!--": "-->"} {
		if before, _, found := strings.Cut(l, open); found {
			l, c.inNote = before, end
		}
	}
	l = outsideCode(l, func(s string) string { return tag.replace(s, " ") })
	if i := openTag(l); i >= 0 {
		l, c.inTag = l[:i], true
	}
	l = link.replace(l, "$2")
	if strings.Trim(l, " *_\t") == "" {
		l = ""
	}
	c.out = append(c.out, line{text: strings.TrimRight(l, " \t")})
}

// openTag finds a component whose tag does not end on its line.
func openTag(l string) int {
	i := strings.LastIndexByte(l, '<')
	if i < 0 || i+1 == len(l) || strings.ContainsAny(l[i:], ">`") {
		return -1
	}
	if c := l[i+1]; (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
		return -1
	}
	return i
}

// outsideCode applies f to what stands outside `inline code`.
func outsideCode(l string, f func(string) string) string {
	parts := strings.Split(l, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = f(parts[i])
	}
	return strings.Join(parts, "`")
}
