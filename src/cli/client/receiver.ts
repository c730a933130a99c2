import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { hasCode } from '../../model/error-code.ts'
import type { CommandContext } from '../command/command.ts'
import { type Api, ApiFailure } from './api.ts'
import { configFolder } from './profiles.ts'

const Opened = Type.Object({ id: Type.String(), secret: Type.String() })
const Listed = Type.Array(Type.Object({ id: Type.String() }))
const RequestShape = Type.Object({
  id: Type.String(),
  receivedOn: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
})
/** Process that listens at a deployment. */
const NoteShape = Type.Object({ address: Type.String(), pid: Type.Integer() })

const PATH = '/webhooks/receivers'

/**
 * Receiver of the deployment; a note in the user's folder lets the next `listen` close one that a killed process left
 * open.
 */
export interface OpenReceiver {
  id: string
  secret: string
  close(): Promise<void>
}

export type ReceivedEvent = Static<typeof RequestShape>

/**
 * Opens a receiver for one event, after closing those of the same instance whose processes have ended. `closing` is not
 * aborted by Ctrl-C.
 */
export async function openReceiver(closing: Api, env: CommandContext['env'], event: string): Promise<OpenReceiver> {
  const folder = join(configFolder(env), 'receivers')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await closeAbandoned(closing, folder)
  const { id, secret } = await closing.read(Opened, PATH, { method: 'POST', body: { event } })
  const note = join(folder, `${id}.json`)
  await writeFile(note, JSON.stringify({ address: closing.address, pid: process.pid }), { mode: 0o600 })
  return {
    id,
    secret,
    close: async () => {
      await close(closing, id)
      await rm(note, { force: true })
    },
  }
}

/** Ids of received requests, oldest first. */
export async function listReceived(api: Api, receiverId: string): Promise<string[]> {
  return (await api.read(Listed, `${PATH}/${receiverId}/requests`)).map(({ id }) => id).reverse()
}

/** Null: no longer kept. */
export async function findReceived(api: Api, receiverId: string, requestId: string): Promise<ReceivedEvent | null> {
  return await api.read(RequestShape, `${PATH}/${receiverId}/requests/${requestId}`).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === 404) return null
    throw error
  })
}

/** Keeps the note of a receiver that this key cannot see: it may belong to another instance at the same address. */
async function closeAbandoned(api: Api, folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length === 0) return
  const own = new Set((await api.read(Listed, PATH)).map(({ id }) => id))
  for (const name of names) {
    const id = name.replace(/\.json$/, '')
    const path = join(folder, name)
    const note: unknown = await readFile(path, 'utf8')
      .then(JSON.parse)
      .catch(() => null)
    if (!Check(NoteShape, note) || note.address !== api.address || isAlive(note.pid) || !own.has(id)) continue
    await close(api, id)
    await rm(path, { force: true })
  }
}

async function close(api: Api, id: string): Promise<void> {
  await api.act(`${PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch((error: unknown) => {
    if (!(error instanceof ApiFailure) || error.status !== 404) throw error
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
