import { type SimulatedInstitution, withoutAccents } from '../../kit/data/institutions.ts'
import type { Fields } from '../../kit/http/json-body.ts'
import { type Context, optionsOf, requireInteger, requireText, textList } from '../context.ts'
import { missingField, PlaidFailure } from './failures.ts'
import { checkKnownProducts } from './products.ts'
import { toInstitutionView } from './views.ts'

const SEARCH_LIMIT = 10

export function listInstitutions(context: Context, body: Fields): Fields {
  const count = requireInteger(body, 'count', 1, 500)
  const offset = requireInteger(body, 'offset', 0, 1_000_000)
  const options = optionsOf(body)
  const products = textList(options, 'products')
  checkKnownProducts(products)
  const inCountries = context.directory.filter(servesCountries(body))
  // Institutions without the products are dropped from the page but not from the total, so pages may be short.
  const page = inCountries.slice(offset, offset + count).filter(offersAll(products))
  return {
    institutions: page.map((entry) => toInstitutionView(entry, options.include_optional_metadata === true)),
    total: inCountries.length,
  }
}

export function searchInstitutions(context: Context, body: Fields): Fields {
  const query = requireText(body, 'query')
  const options = optionsOf(body)
  const products = textList(body, 'products')
  checkKnownProducts(products)
  const found = findByName(context, query).filter(servesCountries(body)).filter(offersAll(products)).slice(0, SEARCH_LIMIT)
  return { institutions: found.map((entry) => toInstitutionView(entry, options.include_optional_metadata === true)) }
}

export function getInstitution(context: Context, body: Fields): Fields {
  const institution = context.institution(requireText(body, 'institution_id'))
  if (!institution || !servesCountries(body)(institution)) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_INSTITUTION', 'invalid institution_id provided')
  }
  const options = optionsOf(body)
  const view = toInstitutionView(institution, options.include_optional_metadata === true)
  return { institution: options.include_status === true ? { ...view, status: toStatus(context) } : view }
}

/** Institutions whose name contains every word of the query, ignoring case and accents. */
export function findByName(context: Context, query: string): SimulatedInstitution[] {
  const words = withoutAccents(query).split(/\s+/).filter(Boolean)
  return context.directory.filter((institution) => {
    const name = withoutAccents(institution.name)
    return words.every((word) => name.includes(word))
  })
}

function servesCountries(body: Fields): (institution: SimulatedInstitution) => boolean {
  const countries = textList(body, 'country_codes')
  if (!countries || countries.length === 0) throw missingField('country_codes')
  return (institution) => countries.includes(institution.country)
}

function offersAll(products: readonly string[] | null): (institution: SimulatedInstitution) => boolean {
  return (institution) => !products || products.every((product) => institution.products.includes(product))
}

function toStatus(context: Context): Fields {
  const healthy = {
    status: 'HEALTHY',
    last_status_change: new Date(context.nowMs() - 86_400_000).toISOString(),
    breakdown: { success: 0.97, error_plaid: 0.01, error_institution: 0.02, refresh_interval: 'NORMAL' },
  }
  return { item_logins: healthy, transactions_updates: healthy, liabilities_updates: healthy }
}
