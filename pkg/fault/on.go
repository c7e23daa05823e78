//go:build faults

package fault

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Variable names the environment variable that arms the points:
// "after_send=0.2,before_ack=1" kills with these probabilities.
const Variable = "COMPORTA_FAULTS"

var armed = sync.OnceValues(func() (map[string]float64, error) { return parse(os.Getenv(Variable)) })

// Point kills this process, as a power cut would, with the probability that the
// environment gives the point. A variable that cannot be read panics: a test
// that kills nothing would show nothing.
func Point(name string) {
	chances, err := armed()
	if err != nil {
		panic(err)
	}
	if chance := chances[name]; chance == 0 || rand.Float64() >= chance {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Errorf("die at %s: %w", name, err))
	}
	select {} // until the signal arrives
}

func parse(text string) (map[string]float64, error) {
	chances := map[string]float64{}
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, value, _ := strings.Cut(entry, "=")
		chance, err := strconv.ParseFloat(value, 64)
		if err != nil || chance < 0 || chance > 1 {
			return nil, fmt.Errorf("%s: %q is no point=probability", Variable, entry)
		}
		if !known(name) {
			return nil, fmt.Errorf("%s: there is no point %q", Variable, name)
		}
		chances[name] = chance
	}
	return chances, nil
}

func known(name string) bool {
	switch name {
	case BeforeSend, AfterSend, BeforeRecord, AfterRecord, BeforeKeep, AfterKeep, BeforeAck:
		return true
	}
	return false
}
