import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../process/free-port.ts'
import { endProcess } from '../end-process.ts'

/** Installed by Debian's packages hledger-web and hledger. */
export const hasHledgerWeb = existsSync('/usr/bin/hledger-web')
export const hasHledger = existsSync('/usr/bin/hledger')

/** A real hledger-web on loopback that serves a copy of the bakery's journal. */
export interface HledgerWeb {
  url: string
  journal: string
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startHledgerWeb(): Promise<HledgerWeb> {
  const directory = await mkdtemp(join(tmpdir(), 'hledger-web-'))
  const journal = join(directory, 'boulangerie.journal')
  await copyFile(new URL('./boulangerie.journal', import.meta.url), journal)
  const port = await freePort()
  let child = await serve(journal, port)
  return {
    url: `http://127.0.0.1:${port}`,
    journal,
    kill: () => endProcess(child),
    async restart() {
      child = await serve(journal, port)
    },
    async stop() {
      await endProcess(child)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Resolves once the server answers; it prints its greeting before it listens. */
async function serve(journal: string, port: number): Promise<ChildProcess> {
  const child = spawn('/usr/bin/hledger-web', ['-f', journal, '--serve-api', '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    // NOTE: without a UTF-8 locale it cannot read the accents of the journal.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/version`), { timeout: 20_000, interval: 50 })
  return child
}
