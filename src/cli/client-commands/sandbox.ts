import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError, type Values } from '../command/command.ts'

const ACTIONS = ['list', 'fault', 'clear', 'clock'] as const
const MAX_TIMES = 1_000
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

export const sandbox = defineCommand({
  name: 'sandbox',
  summary: 'plants faults in the simulators of a sandbox and moves their clocks',
  description: [
    'ACTION is one of: list; fault SIMULATOR NAME, which goes wrong at the next fitting requests; clear SIMULATOR, which ends its faults and lets what waits because of them go on; clock SIMULATOR TIME, which moves its clock forward, so that tokens and consents expire. TIME is a number of seconds, or with a unit: 90s, 30m, 12h, 100d.',
    'Only test instances have simulators. Needs the scopes operations:read, and operations:write for a change.',
  ],
  arguments: [
    { name: 'ACTION', summary: 'list, fault, clear, clock; list when left out', isOptional: true, choices: ACTIONS },
    { name: 'SIMULATOR', summary: 'the simulator, such as quickbooks', isOptional: true },
    { name: 'VALUE', summary: 'name of the fault, or how far the clock moves', isOptional: true },
  ],
  options: { times: { value: 'N', summary: 'how many requests go wrong, for fault; 1 when left out' }, ...PROFILE_OPTION },
  examples: [
    { line: 'countinghouse sandbox', summary: 'the simulators with their faults' },
    { line: 'countinghouse sandbox fault quickbooks unavailable --times 3', summary: 'three answers with status 503' },
    { line: 'countinghouse sandbox clock quickbooks 100d', summary: 'refresh tokens have expired' },
    { line: 'countinghouse sandbox clear quickbooks', summary: 'all is right again' },
  ],
  run: async (values, context) => {
    const request = readRequest(values)
    const { openApi } = await import('../client/open-api.ts')
    const { changeSimulator, listSimulators } = await import('../client/simulators.ts')
    const api = await openApi(values, context)
    return request === null ? await listSimulators(api) : await changeSimulator(api, request)
  },
})

/** Requested change; null: none. */
function readRequest(values: Values<'times' | 'profile'>) {
  const [action, key, value] = [values.argument(0) ?? 'list', values.argument(1), values.argument(2)]
  if (!ACTIONS.some((known) => known === action))
    throw new UsageError(`${JSON.stringify(action)} is no action; there are: ${ACTIONS.join(', ')}`)
  if (action === 'list') {
    if (key !== null) throw new UsageError(`${JSON.stringify(key)} is one argument too many`)
    return null
  }
  if (key === null) throw new UsageError('SIMULATOR is missing; countinghouse sandbox lists them')
  if (action === 'clear') {
    if (value !== null) throw new UsageError(`${JSON.stringify(value)} is one argument too many`)
    return { key, method: 'DELETE', path: 'faults' } as const
  }
  if (value === null)
    throw new UsageError(
      action === 'fault' ? 'VALUE is missing: the name of the fault' : 'VALUE is missing: how far, such as 90s, 12h or 100d',
    )
  if (action === 'clock') return { key, method: 'POST', path: 'clock', body: { seconds: readDuration(value) } } as const
  const times = values.text('times') ?? '1'
  if (!/^[1-9]\d*$/.test(times) || Number(times) > MAX_TIMES)
    throw new UsageError(`--times: ${JSON.stringify(times)} is not a whole number from 1 to ${MAX_TIMES}`)
  return { key, method: 'POST', path: 'faults', body: { name: value, times: Number(times) } } as const
}

function readDuration(text: string): number {
  const [, amount = '', unit = 's'] = /^([1-9]\d{0,8})([smhd]?)$/.exec(text) ?? []
  if (amount === '')
    throw new UsageError(`${JSON.stringify(text)} is no time; wanted is a number of seconds, or one like 90s, 30m, 12h, 100d`)
  return Number(amount) * (UNIT_SECONDS[unit || 's'] ?? 1)
}
