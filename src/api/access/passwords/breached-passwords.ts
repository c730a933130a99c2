import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/** SHA-1 in hex, with or without the number of times that the password was seen. */
const LINE = /^[0-9A-F]{40}(:\d+)?\r?$/i
/** Longer than two lines. */
const WINDOW = 256

/** Thrown for a file that is no sorted list of hashes; `message` says what is wrong, for the operator. */
export class NoPasswordList extends Error {
  override readonly name = 'NoPasswordList'
}

let list: BreachedPasswords | null = null

/**
 * Sets the list in which new passwords of this process are looked for; null: none. NOTE for the process, so that no way to
 * set a password can leave it out.
 */
export function refuseBreachedPasswords(passwords: BreachedPasswords | null): void {
  list = passwords
}

/** False without a list. */
export async function isBreached(password: string): Promise<boolean> {
  return (await list?.has(password)) ?? false
}

/**
 * Passwords known from data breaches: a file of their SHA-1 hashes in ascending order, one a line, as the downloader of
 * Have I Been Pwned writes it. It may have tens of gigabytes: a search reads some 35 times 256 bytes of it.
 * Source: https://haveibeenpwned.com/Passwords
 */
export class BreachedPasswords {
  readonly #file: FileHandle
  readonly #size: number

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Throws `NoPasswordList`, also if lines here and there are not in order. */
  static async open(path: string): Promise<BreachedPasswords> {
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      throw new NoPasswordList(`it cannot be read (${error.code})`)
    })
    const passwords = new BreachedPasswords(file, (await file.stat()).size)
    try {
      await passwords.#check()
    } catch (error) {
      await file.close()
      throw error
    }
    return passwords
  }

  /** A list in another order would find nothing. */
  async #check(): Promise<void> {
    const SAMPLES = 20
    let before = ''
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { text } = await this.#lineAt(Math.floor((this.#size * sample) / SAMPLES))
      if (!LINE.test(text)) throw new NoPasswordList('it does not consist of lines with a SHA-1 hash each')
      const hash = text.slice(0, 40).toUpperCase()
      if (hash < before) throw new NoPasswordList('it is not sorted by hash')
      before = hash
    }
  }

  async has(password: string): Promise<boolean> {
    const wanted = createHash('sha1').update(password).digest('hex').toUpperCase()
    for (let [from, until] = [0, this.#size]; from < until; ) {
      const { text, start, end } = await this.#lineAt(Math.floor((from + until) / 2))
      const hash = text.slice(0, 40).toUpperCase()
      if (hash === wanted) return true
      if (hash < wanted) from = end + 1
      else until = start
    }
    return false
  }

  /** Line that has the byte at this offset; `end` is the offset of its line feed. */
  async #lineAt(offset: number): Promise<{ text: string; start: number; end: number }> {
    const first = Math.max(0, offset - WINDOW / 2)
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(WINDOW), 0, WINDOW, first)
    const window = buffer.subarray(0, bytesRead)
    const at = offset - first
    const start = at === 0 ? 0 : window.lastIndexOf('\n', at - 1) + 1
    const feed = window.indexOf('\n', at)
    const end = feed === -1 ? bytesRead : feed
    return { text: window.toString('latin1', start, end), start: first + start, end: first + end }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
