import { Secret } from '../../model/values/secret.ts'
import { askSecretCommand, readSecretCommand, readSecretFile } from '../../store/keys/read-secret.ts'
import type { ReadSetting } from './limits.ts'
import { InvalidSetting, toFolder } from './setting-values.ts'

/** Source of a secret: the setting itself, a file, or the output of a command (for a vault). */
export type SecretSource = { kind: 'text'; value: Secret } | { kind: 'file'; path: string } | { kind: 'command'; command: string }

/** Reads `NAME`, `NAME_FILE` and `NAME_COMMAND`, at most one of which may be set; null if none is. */
export function readSecretSource(read: ReadSetting, name: string): SecretSource | null {
  const found: (SecretSource | null)[] = [
    read(name, (text) => ({ kind: 'text' as const, value: new Secret(text) }), null, true),
    read(`${name}_FILE`, (text) => ({ kind: 'file' as const, path: toFolder(text) }), null),
    read(`${name}_COMMAND`, (command) => ({ kind: 'command' as const, command }), null),
  ]
  return theOnly(read, name, found)
}

/**
 * Secret from `NAME`, the file `NAME_FILE` or the output of `NAME_COMMAND`, read at the start; null if none is set. `to`
 * checks the text.
 */
export function readSecret(read: ReadSetting, name: string, to: (text: string) => string): Secret | null {
  const found = [
    read(name, (text) => new Secret(to(text)), null, true),
    read(`${name}_FILE`, (path) => ask('a file with', to, () => readSecretFile(toFolder(path), name)), null),
    read(`${name}_COMMAND`, (command) => ask('a command that prints', to, () => readSecretCommand(command, name)), null, true),
  ]
  return theOnly(read, name, found)
}

/** Source of a secret that changes while the process runs. */
export type FreshSource = { kind: 'file'; path: string } | { kind: 'command'; command: string }

/** Reads `NAME_FILE` and `NAME_COMMAND`, at most one of which may be set; null if none is. */
export function readFreshSource(read: ReadSetting, name: string): FreshSource | null {
  const file = read(`${name}_FILE`, (path) => ({ kind: 'file' as const, path: toFolder(path) }), null)
  const command = read(`${name}_COMMAND`, (text) => ({ kind: 'command' as const, command: text }), null)
  if (file !== null && command !== null)
    read(
      `${name}_FILE`,
      () => {
        throw new InvalidSetting(`usable: ${name}_COMMAND is set too`)
      },
      null,
    )
  return command ?? file
}

/** The secret as it is now. Throws with the name of the setting, and without anything that was printed. */
export async function askFresh(source: FreshSource, name: string): Promise<string> {
  if (source.kind === 'file') return readSecretFile(source.path, `${name}_FILE`).reveal()
  return (await askSecretCommand(source.command, `${name}_COMMAND`)).reveal()
}

function ask(what: string, to: (text: string) => string, get: () => Secret): Secret {
  try {
    return new Secret(to(get().reveal()))
  } catch (error) {
    throw new InvalidSetting(`${what} ${error instanceof InvalidSetting ? error.message : 'the secret: it cannot be read, or fails'}`)
  }
}

function theOnly<T>(read: ReadSetting, name: string, found: readonly (T | null)[]): T | null {
  const given = found.filter((source) => source !== null)
  if (given.length > 1) {
    read(name, () => refuse(name), null, true)
    read(`${name}_FILE`, () => refuse(name), null)
  }
  return given[0] ?? null
}

function refuse(name: string): never {
  throw new InvalidSetting(`the only one of ${name}, ${name}_FILE and ${name}_COMMAND, of which one may be set`)
}
