package main

import "strings"

const didYouMean = "; is it "

// similar gives a hint at the name that is most like one that is not there, if any is.
func similar(name string, names []string) string {
	best, bestDistance := "", len(name)/3+2
	for _, other := range names {
		distance := distance(strings.ToLower(name), strings.ToLower(other))
		// A method without its receiver, or with another one.
		if last(other) == last(name) && distance >= bestDistance {
			distance = bestDistance - 1
		}
		if distance < bestDistance {
			best, bestDistance = other, distance
		}
	}
	if best == "" {
		return ""
	}
	return didYouMean + best
}

func last(name string) string {
	return name[strings.LastIndexAny(name, "./")+1:]
}

// distance is the number of letters to insert, leave out or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func min(first int, others ...int) int {
	for _, other := range others {
		if other < first {
			first = other
		}
	}
	return first
}
