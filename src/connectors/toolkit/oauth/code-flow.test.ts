import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createProof } from './code-flow.ts'

describe('a proof of the code', () => {
  it('has a verifier of a length that every server takes, and its hash', () => {
    const { verifier, challenge } = createProof()
    expect(verifier).toMatch(/^[A-Za-z0-9_-]{43,128}$/)
    expect(challenge).toEqual({
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
  })
})
