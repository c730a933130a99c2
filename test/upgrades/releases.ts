import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareReleases } from '../../src/model/release.ts'
import type { Schema } from './schema.ts'

const RELEASES = join(import.meta.dirname, 'releases')

/** Record of a release, written by `npm run release`. */
export interface Release {
  release: string
  /** Its last migration. */
  migration: string
  schema: Schema
}

/** All recorded releases, newest first. */
export async function readReleases(): Promise<Release[]> {
  const names = (await readdir(RELEASES)).filter((name) => name.endsWith('.json'))
  const releases = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(RELEASES, name), 'utf8')) as Release))
  return releases.sort((a, b) => compareReleases(b.release, a.release))
}
