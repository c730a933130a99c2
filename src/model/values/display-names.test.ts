import { describe, expect, it } from 'vitest'
import { initialsOf, safeDisplayName, safeFullName } from './display-names.ts'

describe('a name that is shown', () => {
  it('stays as it is when it is an ordinary one', () => {
    expect(safeDisplayName('Café Laurier & fils')).toBe('Café Laurier & fils')
  })

  it('hides and reorders nothing', () => {
    expect(safeDisplayName('\u202egnp.\u202c\u0000\u200bA\u2066B\ud800')).toBe('gnp.AB\ufffd')
  })

  it('is one line of 80 characters at most', () => {
    expect([...safeDisplayName('😀\n'.repeat(5_000))]).toHaveLength(80)
  })

  it('of eighty characters is shown whole, and of more so far that the mark of the cut has room', () => {
    expect(safeDisplayName('a'.repeat(80))).toBe('a'.repeat(80))
    expect(safeDisplayName('a'.repeat(81))).toBe(`${'a'.repeat(79)}…`)
  })

  it('has one blank between two words and none around them', () => {
    expect(safeDisplayName('  Café \n\t Laurier ')).toBe('Café Laurier')
  })

  it('is there with five hundred characters beside the one that was cut', () => {
    expect([safeFullName('a'.repeat(500)), [...safeFullName('a'.repeat(501))].length]).toEqual(['a'.repeat(500), 500])
  })

  it('from right to left is set apart from the sentence around it', () => {
    expect(safeDisplayName('مخبز')).toBe('\u2068مخبز\u2069')
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
