import { html } from '../html.ts'
import { logoPath, monogramPath } from '../logos.ts'
import { shownName } from '../names.ts'
import { pathTo, type Visit, type Visitor } from '../visitor.ts'
import { choosesBank, heading, type Page } from './page.ts'

/** Who asks, for whom, what is read, why, how long, and how it ends. `renews` is what is connected there already. */
export function consentPage(visitor: Visitor, visit: Visit, renews: string | null): Page {
  const texts = visitor.texts.consent
  const { service } = visit.open
  const title = titleOf(visitor, visit)
  return {
    title,
    step: 'consent',
    address: pathTo(visit, '/connect/consent'),
    body: html`<p class="pair"><img src="${monogramPath(visit.open.instance.name)}" alt="" width="56" height="56"><span class="link" aria-hidden="true"></span><img src="${service.institutionId === null ? logoPath(service.source.description.key) : monogramPath(service.name)}" alt="" width="56" height="56"></p>
${heading(title)}
${renews !== null && html`<p class="notice">${texts.renewal(shownName(renews))}</p>`}
<dl class="terms">
<div><dt>${texts.business}</dt><dd>${visit.company}</dd></div>
${service.source.description.hasInstitutions && html`<div><dt>${texts.through}</dt><dd>${visit.source}</dd></div>`}
<div><dt>${texts.what}</dt><dd><ul>${readThings(visitor, visit).map((thing) => html`<li>${thing}</li>`)}</ul></dd></div>
<div><dt>${texts.why}</dt><dd>${texts.purpose(visit.asker, visit.company)}</dd></div>
<div><dt>${texts.howLong}</dt><dd>${howLong(visitor, visit)}</dd></div>
<div><dt>${texts.control}</dt><dd>${texts.readOnly} ${withdrawal(visitor, visit)}</dd></div>
</dl>
<form method="post" action="${pathTo(visit, '/connect/consent')}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button name="choice" value="agree">${texts.agree}</button>
<button name="choice" value="decline" class="quiet">${texts.decline}</button>
</form>`,
  }
}

function titleOf(visitor: Visitor, visit: Visit): string {
  const texts = visitor.texts.consent
  if (visit.open.service.source.description.link === 'upload') return texts.titleUpload(visit.asker)
  return choosesBank(visit) ? texts.titleBank(visit.asker) : texts.title(visit.asker, visit.service)
}

function readThings(visitor: Visitor, visit: Visit): string[] {
  const texts = visitor.texts.consent
  const { category, supportedEntities } = visit.open.service
  const things =
    category === 'Accounting'
      ? { Accounts: texts.accountingAccounts, Transactions: texts.accountingTransactions }
      : { Accounts: texts.bankingAccounts, Transactions: texts.bankingTransactions }
  return supportedEntities.map((entity) => things[entity])
}

function howLong(visitor: Visitor, visit: Visit): string {
  const { link, refreshHours } = visit.open.service.source.description
  const texts = visitor.texts.consent
  return link === 'upload' ? texts.onlyFiles : texts.untilWithdrawn(refreshHours)
}

function withdrawal(visitor: Visitor, visit: Visit): string {
  const texts = visitor.texts.consent
  const isRedirect = visit.open.service.source.description.link === 'redirect'
  return isRedirect ? texts.withdrawAtSource(visit.asker, visit.source) : texts.withdraw(visit.asker)
}
