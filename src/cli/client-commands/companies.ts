import { PROFILE_OPTION } from '../client/profile-option.ts'
import { defineCommand, UsageError } from '../command/command.ts'

const ACTIONS = ['list', 'add', 'show'] as const

export const companies = defineCommand({
  name: 'companies',
  summary: 'lists, adds and shows companies',
  description: [
    'ACTION is one of: list; add NAME; show COMPANY, with its connections. COMPANY is an id, an external id, or a name that only one company has, in any letter case. Needs the scopes companies:read, companies:write to add, and connections:read to show.',
  ],
  arguments: [
    { name: 'ACTION', summary: 'list, add, show; list when left out', isOptional: true, choices: ACTIONS },
    { name: 'COMPANY', summary: 'the company; for add the name of the new one', isOptional: true },
  ],
  options: {
    country: { value: 'CODE', summary: 'two letters, such as CA, for add' },
    city: { value: 'CITY', summary: 'for add' },
    'external-id': { value: 'ID', summary: 'your own id of the company, for add' },
    ...PROFILE_OPTION,
  },
  examples: [
    { line: 'countinghouse companies', summary: 'all companies' },
    { line: 'countinghouse companies add "Maple Bakery" --country CA', summary: 'a new company' },
    { line: 'countinghouse companies show "Maple Bakery" --json', summary: 'a company with its connections' },
  ],
  run: async (values, context) => {
    const action = values.argument(0) ?? 'list'
    const company = values.argument(1)
    if (action !== 'list' && action !== 'add' && action !== 'show')
      throw new UsageError(`${JSON.stringify(action)} is no action; there are: ${ACTIONS.join(', ')}`)
    if (action !== 'list' && company === null) throw new UsageError('COMPANY is missing')
    const { openApi } = await import('../client/open-api.ts')
    const api = await openApi(values, context)
    const { add, list, show } = await import('../client/companies.ts')
    if (action === 'list' || company === null) return await list(api)
    if (action === 'show') return await show(api, company)
    const [country, city, externalId] = [values.text('country'), values.text('city'), values.text('external-id')]
    return await add(api, { name: company, country, city, externalId })
  },
})
