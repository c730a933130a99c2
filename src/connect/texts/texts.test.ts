import { describe, expect, it } from 'vitest'
import { en } from './en.ts'
import { frCa } from './fr-ca.ts'

const NAME = 'X'

/** All texts by path; functions are called with sample names and numbers. */
function listTexts(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') return [[path, String(node(path.endsWith('.hint') ? NAME : numberOrName(path), 25))]]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, child]) => listTexts(child, path === '' ? key : `${path}.${key}`))
}

function numberOrName(path: string): string | number {
  return /(found|foundSome|untilWithdrawn|tooLarge|tooMany|accounts|transactions)$/.test(path) ? 25 : NAME
}

const french = listTexts(frCa)

describe('French texts', () => {
  it('differ from the English ones', () => {
    const english = new Map(listTexts(en))
    const same = french.filter(([path, text]) => english.get(path) === text).map(([path]) => path)
    expect(same).toEqual(['missing.countries.CA'])
  })

  it('keep a colon, a percent sign and guillemets from starting or ending a line', () => {
    expect(french.filter(([, text]) => / [:»%$]|« |[^\u00a0\d]:(?!\/)/.test(text))).toEqual([])
  })

  it('have no space before other signs, and no straight quotes', () => {
    expect(french.filter(([, text]) => /[ \u00a0][;!?,.](?![a-z])|['"]/.test(text))).toEqual([])
  })

  it('address the owner as vous', () => {
    expect(french.filter(([, text]) => /\b(tu|ton|tes|toi)\b/i.test(text))).toEqual([])
  })
})
