import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { hasCode } from '../model/error-code.ts'
import { writeDurably } from '../store/keys/durable-file.ts'

const Login = Type.Object({ email: Type.String(), password: Type.String() })
type Login = Static<typeof Login>

/** File in DATA_DIR that keeps a sandbox's first login, mode 0600, until somebody has signed in with it. */
export function loginFileOf(dataDir: string): string {
  return join(dataDir, 'login.json')
}

export async function writeLogin(dataDir: string, login: Login): Promise<void> {
  await writeDurably(loginFileOf(dataDir), JSON.stringify(login))
}

/** Null when the file is missing or has been changed to something else. */
export async function readLogin(dataDir: string): Promise<Login | null> {
  try {
    const login: unknown = JSON.parse(await readFile(loginFileOf(dataDir), 'utf8'))
    return Check(Login, login) ? login : null
  } catch (error) {
    // Another login may remove the file at any moment.
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Removes the file when it keeps the login of this user. */
export async function forgetLogin(dataDir: string, email: string): Promise<void> {
  if ((await readLogin(dataDir))?.email.toLowerCase() === email) await rm(loginFileOf(dataDir), { force: true })
}
