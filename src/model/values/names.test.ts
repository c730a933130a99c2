import { describe, expect, it } from 'vitest'
import { initialsOf, shownName, wholeName } from './names.ts'

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

  it('of eighty characters is shown whole, and of more so far that the mark of the cut has room', () => {
    expect(shownName('a'.repeat(80))).toBe('a'.repeat(80))
    expect(shownName('a'.repeat(81))).toBe(`${'a'.repeat(79)}…`)
  })

  it('has one blank between two words and none around them', () => {
    expect(shownName('  Café \n\t Laurier ')).toBe('Café Laurier')
  })

  it('is there with five hundred characters beside the one that was cut', () => {
    expect([wholeName('a'.repeat(500)), [...wholeName('a'.repeat(501))].length]).toEqual(['a'.repeat(500), 500])
  })

  it('from right to left is set apart from the sentence around it', () => {
    expect(shownName('مخبز')).toBe('\u2068مخبز\u2069')
  })
})

describe('initials', () => {
  it.each([
    ['QuickBooks Online', 'QO'],
    ['érable', 'É'],
    ['Caisse du Vieux-Port', 'CD'],
    ['<script>', 'S'],
    ['', '•'],
    ['!!!', '•'],
  ])('of "%s" are %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })

  it('are four characters at most, however long their capitals are', () => {
    expect(initialsOf('\u0390 \u0390')).toHaveLength(4)
  })
})
