import { describe, expect, it } from 'vitest'
import { findPasswordFault } from './password-rules.ts'

const OWNER = { email: 'avery.tremblay@boulangerie.example.com', name: 'Avery Tremblay' }
const GUESSABLE = 'is too easy to guess'

describe('a new password', () => {
  it.each([
    'violet-harbour-teapot-91',
    'quiet-orchard-lantern-58',
    'K7#mP2!x',
    'correct horse battery staple',
    'chèvre lune granit été',
    '漢字仮名交じり文章',
  ])('may be %s', async (password) => {
    expect(await findPasswordFault(password, OWNER)).toBeNull()
  })

  it.each([
    ['a common one', 'Password1!'],
    ['a common one with signs for letters', 'p@$$w0rd123'],
    ['a common one in French', 'motdepasse'],
    ['a row of the keyboard', 'asdfghjkl;'],
    ['a sequence', 'abcdefgh1234'],
    ['one character', 'aaaaaaaaaaaaaaaa'],
    ['a repeated piece', 'zaq1zaq1zaq1'],
    ['a team and a year', 'hockey2024'],
    ['a day', '1987-06-05'],
    ['the own address', OWNER.email],
    ['the own local part', 'avery.tremblay'],
    ['the own name and a year', 'Tremblay2026!'],
    ['the name of the product', 'Countinghouse1'],
  ])('may not be %s: %s', async (_what, password) => {
    expect(await findPasswordFault(password, OWNER)).toBe(GUESSABLE)
  })

  it('has 8 to 1,024 characters, counted as people do', async () => {
    const faults = await Promise.all(['K7#mP2!', '👩‍👩‍👧', `K7#mP2!x${'x'.repeat(1_017)}`].map((text) => findPasswordFault(text, OWNER)))
    expect(faults).toEqual(['must have at least 8 characters', 'must have at least 8 characters', 'must have at most 1024 characters'])
  })

  it('is judged by its first 40 characters, so that a long one takes no time', async () => {
    const good = 'violet-harbour-teapot-91'
    expect(await findPasswordFault('a'.repeat(40) + good, OWNER)).toBe(GUESSABLE)
    expect(await findPasswordFault('a'.repeat(20) + good, OWNER)).toBeNull()
  })

  it.each(['\u0000', '\ud83d', '\u202e'])('of strange characters is judged, too: %j', async (piece) => {
    expect(await findPasswordFault(piece.repeat(12), OWNER)).toBe(GUESSABLE)
  })
})
