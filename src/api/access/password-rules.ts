import { COMMON_PASSWORDS } from './common-passwords.ts'

const SHORTEST = 8
const LONGEST = 1024

/** Keyboard rows and other common sequences. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
]
const WRITTEN_FOR: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' }

/**
 * Fault of a new password as text for its owner, or null. No composition rules: length counts, and that it is hard to
 * guess. Rejected are common passwords with the usual substitutions and endings, sequences, repetitions, and the
 * owner's own address or name.
 * Source: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver
 */
export function findPasswordFault(password: string, owner: { email: string; name: string }): string | null {
  const length = [...password].length
  if (length < SHORTEST) return `must have at least ${SHORTEST} characters`
  if (length > LONGEST) return `must have at most ${LONGEST} characters`
  if (isGuessable(password, ownWords(owner))) return 'is too easy to guess'
  return null
}

function isGuessable(password: string, own: readonly string[]): boolean {
  const lower = password.normalize('NFKC').toLowerCase()
  if (isRepetition(lower) || isRun(lower)) return true
  const forms = [lower, withoutEnds(lower)].flatMap((form) => [form, unwritten(form), withoutEnds(unwritten(form))])
  return forms.some((word) => COMMON_PASSWORDS.has(word) || own.includes(word) || isRepetition(word) || isRun(word))
}

/** Without leading and trailing digits and punctuation. */
function withoutEnds(text: string): string {
  return text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
}

/** Undoes digit substitution: `p4ssw0rd` is `password`. */
function unwritten(text: string): string {
  return [...text].map((character) => WRITTEN_FOR[character] ?? character).join('')
}

/** A piece of up to four characters, repeated. */
function isRepetition(text: string): boolean {
  return text.length >= 3 && /^(.{1,4}?)\1+.{0,3}$/su.test(text)
}

function isRun(text: string): boolean {
  if (text.length < 4) return false
  const backwards = [...text].reverse().join('')
  return RUNS.some((run) => run.includes(text) || run.includes(backwards) || (run + run).includes(text) || (run + run).includes(backwards))
}

/** Words of the owner's address and name, and the whole address. */
function ownWords(owner: { email: string; name: string }): string[] {
  const email = owner.email.toLowerCase()
  const parts = `${email} ${owner.name.toLowerCase()}`.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 3)
  return [email, email.replace(/@.*$/s, ''), owner.name.toLowerCase(), ...parts]
}
