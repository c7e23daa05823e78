package child

import "os"

// pipe is one os.Pipe.
type pipe struct{ read, write *os.File }

// pipes are a child's three. They are ours and not exec's: its Wait closes the
// reading ends, and what the child wrote last would be lost.
type pipes struct{ in, out, err pipe }

func openPipes() (*pipes, error) {
	var p pipes
	for _, one := range []*pipe{&p.in, &p.out, &p.err} {
		var err error
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.closeChildEnds()
			p.closeParentEnds()
			return nil, err
		}
	}
	return &p, nil
}

// Closing a file that was not opened is a harmless error of (*os.File)(nil).

func (p *pipes) closeChildEnds() {
	_ = p.in.read.Close()
	_ = p.out.write.Close()
	_ = p.err.write.Close()
}

func (p *pipes) closeParentEnds() {
	_ = p.in.write.Close()
	_ = p.out.read.Close()
	_ = p.err.read.Close()
}
