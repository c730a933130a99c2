import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand } from '../command/command.ts'

export const sync = defineCommand({
  name: 'sync',
  summary: 'reads all sources of a company now, and waits until they are read',
  description: [
    'Asks for a read of every connection of the company, or of the one to SERVICE, and waits for their end. Connections that wait for their owner, are suspended or have ended are left out, and named. Exit code 1 when a read failed, or there was nothing to read. Ctrl-C ends the waiting only.',
    'Needs the scopes companies:read, connections:read and connections:write.',
  ],
  arguments: [
    { name: 'COMPANY', summary: 'the company: id, external id or name' },
    { name: 'SERVICE', summary: 'one of its services, by id or name', isOptional: true },
  ],
  options: { ...PROFILE_OPTION },
  examples: [
    { line: 'countinghouse sync "Maple Bakery"', summary: 'books and banks' },
    { line: 'countinghouse sync "Maple Bakery" "QuickBooks Online"', summary: 'its books only' },
  ],
  run: async (values, context) => {
    const { openApi } = await import('../client/open-api.ts')
    const { getCompany, getConnection } = await import('../client/find.ts')
    const { syncCompany } = await import('../client/sync.ts')
    const progress = { signal: context.stopSignal(), say: context.say, progress: context.progress }
    const api = await openApi(values, context, progress.signal)
    const { id } = await getCompany(api, values.argument(0) ?? '')
    const service = values.argument(1)
    const serviceId = service === null ? null : (await getConnection(api, id, service)).serviceId
    return await syncCompany(api, id, serviceId, progress)
  },
})
