import { describe, expect, it } from 'vitest'
import { initialsOf, shownName } from './names.ts'

describe('a name that is shown', () => {
  it('stays as it is when it is an ordinary one', () => {
    expect(shownName('Café Laurier & fils')).toBe('Café Laurier & fils')
  })

  it('hides and reorders nothing', () => {
    expect(shownName('\u202egnp.\u202c\u0000\u200bA\u2066B\ud800')).toBe('gnp.AB\ufffd')
  })

  it('is one line of 80 characters at most', () => {
    expect([...shownName('😀\n'.repeat(5_000))]).toHaveLength(80)
  })

  it('from right to left is set apart from the sentence around it', () => {
    expect(shownName('مخبز')).toBe('\u2068مخبز\u2069')
  })
})

describe('initials', () => {
  it.each([
    ['QuickBooks Online', 'QO'],
    ['érable', 'É'],
    ['<script>', 'S'],
    ['', '•'],
    ['!!!', '•'],
  ])('of "%s" are %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })
})
