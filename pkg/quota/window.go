package quota

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// window is the last call times of one subject, ascending, in Unix nanoseconds.
// It never holds more than its limit's count.
type window []int64

const windowVersion = 1

func (w window) encode() []byte {
	out := make([]byte, 1, 1+8*len(w))
	out[0] = windowVersion
	for _, at := range w {
		out = binary.LittleEndian.AppendUint64(out, uint64(at))
	}
	return out
}

func decodeWindow(data []byte) (window, error) {
	if len(data) == 0 || data[0] != windowVersion || len(data)%8 != 1 || len(data) > 1+8*maxCount {
		return nil, errors.New("the record of a limit has an unknown form")
	}
	w := make(window, 0, len(data)/8)
	for data = data[1:]; len(data) > 0; data = data[8:] {
		w = append(w, int64(binary.LittleEndian.Uint64(data)))
	}
	slices.Sort(w)
	return slices.Compact(w), nil
}

// add gives the window with a call at now, or how long until one fits.
func (w window) add(now int64, lim Limit) (window, time.Duration) {
	live := w.after(now - int64(lim.Window))
	if len(live) < lim.Count {
		return append(slices.Clone(live), now), 0
	}
	oldest := live[len(live)-lim.Count]
	return nil, time.Duration(oldest + int64(lim.Window) - now)
}

// after drops the calls up to a moment.
func (w window) after(moment int64) window {
	i, _ := slices.BinarySearch(w, moment+1)
	return w[i:]
}

// without takes one call out, if it is there.
func (w window) without(at int64) window {
	i, found := slices.BinarySearch(w, at)
	if !found {
		return w
	}
	return slices.Delete(slices.Clone(w), i, i+1)
}

// merged joins the calls of both; one that is in both counts once.
func (w window) merged(other window) window {
	if len(other) == 0 {
		return w
	}
	all := slices.Concat(w, other)
	slices.Sort(all)
	return slices.Compact(all)
}

// last is the newest call; 0 where there is none.
func (w window) last() int64 {
	if len(w) == 0 {
		return 0
	}
	return w[len(w)-1]
}
