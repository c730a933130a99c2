import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { isBreached } from './breached-passwords.ts'

const SHORTEST = 8
const LONGEST = 1024
/** Judged are the first characters alone: a password that needs more of them to be good is refused. Bounds the time. */
const JUDGED = 40
/** Readings of digits and signs as letters that are tried; bounds the time. */
const MAX_READINGS = 8
/** Guesses that a password must withstand, as a power of ten: what an attacker of slowly hashed passwords can afford. */
const LEAST_GUESSES_LOG10 = 8

/**
 * Fault of a new password as text for its owner, or null. No composition rules: length counts, and that it is hard to
 * guess, by an estimate that knows common passwords, keyboard rows, sequences, repetitions, dates, the usual
 * substitutions, and the owner's own address and name; nor may it be in the operator's list of breached passwords.
 * Source: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver
 */
export async function findPasswordFault(password: string, owner: { email: string; name: string }): Promise<string | null> {
  const length = [...password].length
  if (length < SHORTEST) return `must have at least ${SHORTEST} characters`
  if (length > LONGEST) return `must have at most ${LONGEST} characters`
  const { guessesLog10 } = (await estimator()).check(password.normalize('NFKC').slice(0, JUDGED), ownWords(owner))
  if (guessesLog10 < LEAST_GUESSES_LOG10) return 'is too easy to guess'
  return (await isBreached(password)) ? 'is known from a data breach' : null
}

let loaded: Promise<ZxcvbnFactory> | null = null

/** Loaded with the first new password of a process: the list takes memory that most processes never need. */
function estimator(): Promise<ZxcvbnFactory> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<ZxcvbnFactory> {
  const [core, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')])
  const { 'passwords-common': passwords } = common.dictionary
  return new core.ZxcvbnFactory({
    dictionary: { passwords },
    graphs: common.adjacencyGraphs,
    maxLength: JUDGED,
    l33tMaxSubstitutions: MAX_READINGS,
  })
}

/** Words of the trade, and the name of the product. */
const CONTEXT_WORDS = [
  'countinghouse',
  'bookkeeping',
  'bookkeeper',
  'accounting',
  'accountant',
  'banking',
  'finance',
  'comptabilite',
  'admin',
]

/** Words of the owner's address and name, both as a whole and in parts, and those of the context. */
function ownWords(owner: { email: string; name: string }): string[] {
  const email = owner.email.toLowerCase()
  const parts = `${email} ${owner.name.toLowerCase()}`.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 3)
  return [email, email.replace(/@.*$/s, ''), owner.name.toLowerCase(), ...parts, ...CONTEXT_WORDS]
}
