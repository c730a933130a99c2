import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { slicesOf } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Kit, SourceError } from '../contract/contract.ts'
import { answerJson, isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { get, type MambuSecret, refuse } from './request.ts'

const ORGANIZATION = 'organization'

const OrganizationAnswer = Type.Object({ currency: Type.Optional(Type.Union([Type.String(), Type.Null()])) })

/** Currency of a deposit or a loan itself; empty when it has none, as loans before 2022. */
export function currencyOf(row: unknown): string {
  if (!isJsonObject(row)) return ''
  const { currencyCode, currency } = row
  const code: Json | undefined = isJsonObject(currency) ? (currency.code ?? currency.currencyCode) : currencyCode
  return typeof code === 'string' ? code : ''
}

/**
 * Adds the organization to accounts without a currency: they are in the organization's own. Not every key may read it.
 * Source: https://docs.mambu.com/api/api-v2/setup_organization/schemas/organizationsetup/
 */
export async function addOrganization(kit: Kit, secret: MambuSecret, rows: readonly unknown[], answers: Answers): Promise<void> {
  if (!(await isAnyWithout(rows))) return
  const response = await get(kit, secret, 'setup/organization')
  if (response.status === 403 || response.status === 404) return
  refuse(kit, response, 'the organization')
  if (!Check(OrganizationAnswer, await responseJson(response, 'Mambu organization')))
    throw new SourceError('badData', 'Mambu: the organization has an unknown shape')
  answers[ORGANIZATION] = response.body
}

async function isAnyWithout(rows: readonly unknown[]): Promise<boolean> {
  for await (const slice of slicesOf(rows)) if (slice.some((row) => currencyOf(row) === '')) return true
  return false
}

/** Organization's currency for a page; empty when it was not requested or is absent. */
export function organizationCurrency(answers: Answers): string {
  return answers[ORGANIZATION] ? currencyOf({ currencyCode: at(answerJson(answers, ORGANIZATION)) }) : ''
}

function at(organization: Json): Json {
  return isJsonObject(organization) ? (organization.currency ?? null) : null
}
