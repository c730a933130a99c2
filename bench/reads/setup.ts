import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBank } from '../bank/bank.ts'
import { moveToLoadCores, moveToServerCore } from '../cores.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import { CREATE_ACCOUNTS, INDEX_ACCOUNTS } from '../servers/express-rows.ts'
import { type BenchServer, startServer } from '../servers/start.ts'
import { listSubjects, read, type Servers, toPageRequest } from './subjects.ts'
import { addReaders, type Reader } from './tenants.ts'

const ACCOUNTS = 100
const CACHE_BYTES = 64 * 1_024 * 1_024

/** Deployment, servers and readers for measurements of reads, filled and running. */
export interface ReadsSetup {
  subjects: Awaited<ReturnType<typeof listSubjects>>
  close(): Promise<void>
}

export async function openReadsSetup(tenants: number): Promise<ReadsSetup> {
  const bank = openBank(ACCOUNTS)
  const deployment = await openDeployment(bank)
  // PostgreSQL has begun before, and runs on all cores, as in a deployment.
  await moveToLoadCores(process.pid)
  const running: BenchServer[] = []
  const close = async () => {
    for (const server of running) await server.close()
    await deployment.close()
  }
  try {
    const readers = await addReaders(deployment, tenants)
    const place = { serviceId: deployment.serviceId, secret: randomBytes(32).toString('base64url') }
    await fillPlainTable(deployment)
    const servers = await startServers(deployment, readers, { ...place, serviceName: bank.description.name }, running)
    return { subjects: await listSubjects(servers, readers, place), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fillPlainTable({ database }: Deployment): Promise<void> {
  await database.query(CREATE_ACCOUNTS)
  await database.query(INDEX_ACCOUNTS)
  await database.query('analyze')
}

async function startServers(
  deployment: Deployment,
  readers: readonly Reader[],
  plain: { serviceId: string; secret: string; serviceName: string },
  running: BenchServer[],
): Promise<Servers> {
  const { databaseUrl, dataDir } = deployment
  const start = async (...[name, request]: Parameters<typeof startServer>): Promise<BenchServer> => {
    const server = await startServer(name, request)
    running.push(server)
    await moveToServerCore(server.pid)
    return server
  }
  const cached = await start('countinghouse', { databaseUrl, dataDir, pageCacheBytes: CACHE_BYTES })
  const uncached = await start('countinghouse', { databaseUrl, dataDir, pageCacheBytes: 0 })
  const express = await start('express', { databaseUrl, ...plain })
  const folder = join(dataDir, 'pages')
  await mkdir(folder)
  const requests = readers.map((reader) => toPageRequest(reader, plain.serviceId))
  for (const [index, request] of requests.entries()) {
    const page = await read(cached, request)
    await writeFile(join(folder, String(index)), page.body)
  }
  return { bare: await start('bare', { folder, paths: requests.map(({ path }) => path) }), cached, uncached, express }
}
