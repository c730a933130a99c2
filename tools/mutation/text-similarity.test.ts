import { expect, it } from 'vitest'
import { countWords, TextSimilarity } from './text-similarity.ts'

const about = (text: string) => countWords('', text)
const LOGOUT = about("import { readSession } from './sessions.ts'\nexport const logoutAddress = (idToken) => issuer.endSession(idToken)")
const TESTS = [
  about('a logout at the issuer ends the session there; the test expects an address'),
  about('the test expects a page of accounts at this address'),
  about('the test expects nothing'),
]

it('texts are the more similar the more rare words they have in common', () => {
  const similarity = new TextSimilarity(TESTS)
  const [same = 0, near = 0, far = 0] = TESTS.map((test) => similarity.compare(LOGOUT, test))
  expect(near).toBeGreaterThan(0)
  expect(same).toBeGreaterThan(2 * near)
  expect(far).toBe(0)
  expect(similarity.compare(LOGOUT, LOGOUT)).toBeCloseTo(1)
})

it('names are split into words in the singular, imports do not count, the path counts three times', () => {
  expect([...countWords('src/logout.ts', "import { a } from './keys.ts'\nconst idTokens = readToken()")]).toEqual([
    ['src', 3],
    ['logout', 3],
    ['const', 1],
    ['token', 2],
    ['read', 1],
  ])
})
