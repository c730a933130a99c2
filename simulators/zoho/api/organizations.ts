import type { Reply } from '../../kit/http/response.ts'
import { toId } from '../data/chart.ts'
import { type Login, ORGANIZATIONS, type Organization } from '../data/companies.ts'
import { dataReply, errorReply } from './replies.ts'

/** GET /books/v3/organizations: the user's organizations, or (`isWrong`) one of another user. */
export function listOrganizations(login: Login, isWrong: boolean): Reply {
  const isTheirs = ({ id }: Organization) => login.organizationIds.includes(id)
  const shown = isWrong ? ORGANIZATIONS.filter((each) => !isTheirs(each)).slice(0, 1) : ORGANIZATIONS.filter(isTheirs)
  return dataReply({ organizations: shown.map((organization, index) => toRow(organization, login, index === 0)) })
}

/** GET /books/v3/organizations/{id}, for the user's own. */
export function oneOrganization(login: Login, id: string): Reply {
  const organization = ORGANIZATIONS.find((each) => each.id === id && login.organizationIds.includes(id))
  return organization ? dataReply({ organization: toRow(organization, login, true) }) : errorReply(404, 6005, 'Organization does not exist')
}

function toRow(organization: Organization, login: Login, isDefault: boolean): object {
  return {
    organization_id: organization.id,
    name: organization.name,
    contact_name: login.person,
    email: organization.email,
    is_default_org: isDefault,
    plan_type: 2,
    tax_group_enabled: true,
    zi_migration_status: 0,
    plan_name: 'STANDARD',
    plan_period: 'Monthly',
    language_code: organization.language,
    fiscal_year_start_month: 0,
    account_created_date: '2024-01-08',
    account_created_date_formatted: '08 Jan 2024',
    time_zone: 'America/Vancouver',
    is_org_active: true,
    currency_id: toId(organization, 97),
    currency_code: organization.currency,
    currency_symbol: organization.symbol,
    currency_format: '###,##0.00',
    price_precision: 2,
  }
}
