import { BreachedPasswords, NoPasswordList, refuseBreachedPasswords } from '../api/access/passwords/breached-passwords.ts'
import { ConfigError } from './settings/config.ts'

/** Refuses new passwords that are on the list, from now on; returns its closer. Throws `ConfigError`. */
export async function openPasswordList(path: string): Promise<() => Promise<void>> {
  try {
    const passwords = await BreachedPasswords.open(path)
    refuseBreachedPasswords(passwords)
    return async () => await passwords.close()
  } catch (error) {
    if (!(error instanceof NoPasswordList)) throw error
    throw new ConfigError([`BREACHED_PASSWORDS: ${JSON.stringify(path)} is no list of passwords: ${error.message}`])
  }
}
