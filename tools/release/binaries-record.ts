import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import type { RecordedPrograms } from './binaries.ts'

/** Checksums of the programs that npm packages carry, of every version that was in use. */
export const BINARIES_FILE = 'tools/release/binaries.json'

const Recorded = Type.Array(
  Type.Object({
    package: Type.String(),
    version: Type.String(),
    files: Type.Integer({ minimum: 1 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    sameAs: Type.Union([Type.String(), Type.Null()]),
  }),
)

/** The part of a package.json that says what is installed. */
export const VersionOf = Type.Object({ version: Type.String() })

export async function readRecord(): Promise<RecordedPrograms[]> {
  return Parse(Recorded, JSON.parse(await readFile(BINARIES_FILE, 'utf8')))
}
