import type { Db } from '../db/database.ts'

/** Note of a change of a publication, with the version that the change made or, if it removed the publication, ended. */
interface Note {
  id: string
  companyId: string
  serviceId: string
  version: string
  isRemoved: boolean
}

/** Publication with its active connection: what is to be placed. */
interface Published {
  company_id: string
  service_id: string
  version: string
  published_at: string
  connection_id: string
}

/** What a placement on a cluster is given as parameters, because the publications lie on other nodes than the feed. */
export interface ClusterPlacement {
  /** Ids of the notes that are settled. */
  noteIds: string[]
  /** Their companies and services. */
  companies: string[]
  services: string[]
  /** JSON text. */
  published: string
  /** Whether there are no more notes than were read. */
  isLast: boolean
}

/**
 * Notes of an instance, the earliest first, whose changes the nodes show. The coordinator commits a note before a node
 * commits the publication: a note stays until then, because the publication that is there is the one before.
 * NOTE notes, connections, publications, in this order: a publication is never placed with a connection after its own.
 */
export async function listNoted(db: Db, instanceId: string, limit: number): Promise<ClusterPlacement> {
  const { rows: notes } = await db.query<Note>(
    `select id, company_id as "companyId", service_id as "serviceId", version, is_removed as "isRemoved" from unplaced_publications
     where instance_id = $1 order by noted_at, id limit $2`,
    [instanceId, limit],
  )
  const published = await listPublications(db, instanceId, 'company_id = any($2::uuid[])', [[...new Set(notes.map(companyOf))]])
  const settled = notes.filter((note) => isSettled(note, published.get(keyOf(note.companyId, note.serviceId)), notes))
  return {
    noteIds: settled.map(({ id }) => id),
    companies: settled.map(companyOf),
    services: settled.map(({ serviceId }) => serviceId),
    published: JSON.stringify([...published.values()]),
    isLast: notes.length < limit,
  }
}

/** Publications of the companies after one and up to another, as JSON text. */
export async function listBetween(db: Db, instanceId: string, after: string, until: string): Promise<string> {
  return JSON.stringify([...(await listPublications(db, instanceId, 'company_id > $2 and company_id <= $3', [after, until])).values()])
}

function companyOf({ companyId }: Note): string {
  return companyId
}

function keyOf(companyId: string, serviceId: string): string {
  return `${companyId}/${serviceId}`
}

function isSettled(note: Note, present: { version: string } | undefined, notes: readonly Note[]): boolean {
  const version = BigInt(note.version)
  if (present) return note.isRemoved ? BigInt(present.version) > version : BigInt(present.version) >= version
  // Nothing is there: before the change, or since a later removal, which has a note of its own.
  return notes.some(
    (other) =>
      other.isRemoved && other.companyId === note.companyId && other.serviceId === note.serviceId && BigInt(other.version) >= version,
  )
}

async function listPublications(db: Db, instanceId: string, which: string, values: unknown[]): Promise<Map<string, Published>> {
  const connections = await db.query<Pick<Published, 'company_id' | 'service_id' | 'connection_id'>>(
    `select distinct on (company_id, service_id) company_id, service_id, id as connection_id from connections
     where instance_id = $1 and ${which} and status <> 26 and published_at is not null order by company_id, service_id, created_at desc`,
    [instanceId, ...values],
  )
  const active = new Map(connections.rows.map((row) => [keyOf(row.company_id, row.service_id), row.connection_id]))
  const { rows } = await db.query<Omit<Published, 'connection_id'>>(
    `select company_id, service_id, version, published_at::text as published_at from publications where instance_id = $1 and ${which}`,
    [instanceId, ...values],
  )
  const published = new Map<string, Published>()
  for (const row of rows) {
    const key = keyOf(row.company_id, row.service_id)
    const connectionId = active.get(key)
    if (connectionId !== undefined) published.set(key, { ...row, connection_id: connectionId })
  }
  return published
}
