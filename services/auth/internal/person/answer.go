package person

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// answer is one of the platform's answers. Its contents never go into an error:
// a platform that echoes the token must not bring it into a log.
type answer map[string]any

// field follows a dotted path; nil where it leads nowhere.
func (a answer) field(path string) any {
	var here any = map[string]any(a)
	for step := range strings.SplitSeq(path, ".") {
		object, ok := here.(map[string]any)
		if !ok {
			return nil
		}
		here = object[step]
	}
	return here
}

// id reads a whole number, which some platforms write as a string.
func (a answer) id(path string) (int64, error) {
	var text string
	switch v := a.field(path).(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the platform's answer has no whole number in %s", path)
	}
	return id, nil
}

func (a answer) text(path string) string {
	text, _ := a.field(path).(string)
	return strings.TrimSpace(text)
}

func (a answer) flag(path string) bool {
	flag, _ := a.field(path).(bool)
	return flag
}
