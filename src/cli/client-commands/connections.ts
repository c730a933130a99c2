import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError } from '../command/command.ts'

const ACTIONS = ['list', 'show', 'refresh', 'watch'] as const

export const connections = defineCommand({
  name: 'connections',
  summary: 'lists, shows, refreshes and watches connections',
  description: [
    'ACTION is one of: list [COMPANY]; show COMPANY SERVICE, with its timeline and runs; refresh COMPANY SERVICE, which reads the source now and, with --wait, waits for the end of the read; watch COMPANY [SERVICE], which waits until data can be read or a connection is at fault.',
    'COMPANY is an id, an external id or a name; SERVICE is an id or a name. Exit code 1 when a watched connection is at fault or ended, or when a read failed. Ctrl-C ends the waiting only. Needs the scopes companies:read, connections:read, and connections:write to refresh.',
  ],
  arguments: [
    { name: 'ACTION', summary: 'list, show, refresh, watch; list when left out', isOptional: true, choices: ACTIONS },
    { name: 'COMPANY', summary: 'the company', isOptional: true },
    { name: 'SERVICE', summary: 'what it is connected to', isOptional: true },
  ],
  options: { wait: { summary: 'waits for the end of the read, for refresh' }, ...PROFILE_OPTION },
  examples: [
    { line: 'countinghouse connections', summary: 'of all companies' },
    { line: 'countinghouse connections watch "Maple Bakery"', summary: 'until its data can be read' },
    { line: 'countinghouse connections refresh "Maple Bakery" "QuickBooks Online" --wait', summary: 'reads the books now' },
  ],
  run: async (values, context) => {
    const [action, company, service] = [values.argument(0) ?? 'list', values.argument(1), values.argument(2)]
    if (!ACTIONS.some((known) => known === action))
      throw new UsageError(`${JSON.stringify(action)} is no action; there are: ${ACTIONS.join(', ')}`)
    if (action !== 'list' && company === null) throw new UsageError('COMPANY is missing')
    if (action === 'list' && service !== null) throw new UsageError(`${JSON.stringify(service)} is one argument too many`)
    if ((action === 'show' || action === 'refresh') && service === null) throw new UsageError('SERVICE is missing: its id or name')
    const { openApi } = await import('../client/open-api.ts')
    const { getCompany, getConnection, listConnections } = await import('../client/find.ts')
    const { describeConnections, refresh, watch } = await import('../client/connections.ts')
    const isWaiting = action === 'watch' || (action === 'refresh' && values.flag('wait'))
    const progress = isWaiting ? { signal: context.stopSignal(), say: context.say, progress: context.progress } : null
    const api = await openApi(values, context, progress?.signal)
    const companyId = company === null ? null : (await getCompany(api, company)).id
    if (action === 'list' || companyId === null) {
      const all = await listConnections(api, companyId)
      return { document: all, text: describeConnections(all) }
    }
    const connection = service === null ? null : await getConnection(api, companyId, service)
    if (progress && action === 'watch') {
      const clauses = connection === null ? [] : [`serviceId=${connection.serviceId}`]
      return await watch(api, companyId, progress, { clauses, isWanted: () => true })
    }
    if (connection === null) throw new UsageError('SERVICE is missing: its id or name')
    if (action === 'refresh') return await refresh(api, connection, progress)
    const { show } = await import('../client/connection-detail.ts')
    return await show(api, connection)
  },
})
