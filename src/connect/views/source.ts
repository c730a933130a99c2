import type { FormField } from '../../connectors/contract/authorization.ts'
import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { logoPath, monogramPath } from '../branding/logos.ts'
import { localize } from '../texts/locale.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { errorSummary, type FieldProblem, fieldErrorOf } from './field-problems.ts'
import { handOffOffer } from './hand-off.ts'
import { choosesBank, heading, type Page } from './page.ts'

export interface ChosenBank {
  id: string
  name: string
}

/** Last page before the redirect to the source, or its widget. */
export function redirectPage(
  visitor: Visitor,
  visit: Visit,
  bank: ChosenBank | null,
  step: 'redirect' | 'widget',
  notice: Html | null,
): Page {
  const texts = visitor.texts.redirect
  const { source } = visit
  const path = sourcePath(visit, bank)
  const isBankThere = step === 'widget' || choosesBank(visit)
  const title = bank ? texts.titleBank(safeDisplayName(bank.name)) : isBankThere ? texts.titleThere(source) : texts.title(source)
  return {
    title,
    step: 'connect',
    address: path,
    ...(notice ? { isDated: true } : {}),
    body: html`<p class="pair"><img src="${bank ? monogramPath(bank.name) : logoPath(visit.open.service.source.description.key)}" alt="" width="56" height="56"></p>
${heading(title)}
${notice}
<p>${step === 'widget' ? widgetLead(visitor, source, bank) : bank ? texts.leaveBank(source, safeDisplayName(bank.name)) : isBankThere ? texts.leaveThere(source) : texts.leave(source)}</p>
<p>${texts.password(visit.requester)}</p>
${bank && choosesBank(visit) && html`<p><a href="${pathTo(visit, '/connect/institutions')}">${texts.change}</a></p>`}
<form method="post" action="${path}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button>${texts.go(source)}</button>
</form>
${handOffOffer(visitor, visit, bank?.id)}`,
  }
}

/** The browser is forwarded to the source; the link is for those that are not. */
export function leavingPage(visitor: Localization, visit: Visit, bank: ChosenBank | null, url: string): Page {
  const texts = visitor.texts.redirect
  const { source } = visit
  return {
    title: texts.leavingTitle(source),
    step: 'connect',
    address: sourcePath(visit, bank),
    forwardTo: url,
    body: html`${heading(texts.leavingTitle(source))}
<p>${texts.leavingText}</p>
<p class="actions"><a class="button" id="leave" href="${url}" rel="noreferrer">${texts.go(source)}</a></p>`,
  }
}

/** Form with the source's own fields. Input is kept, except passwords. */
export function formPage(
  visitor: Visitor,
  visit: Visit,
  fields: readonly FormField[],
  typed: Readonly<Record<string, string>>,
  problems: readonly FieldProblem[],
  status: number,
  notice: Html | null = null,
): Page {
  const texts = visitor.texts.form
  const { source } = visit
  const { example } = visit.open.service.source
  const path = sourcePath(visit, null)
  return {
    title: texts.title(source),
    step: 'connect',
    address: path,
    ...(notice ? { isDated: true } : {}),
    status,
    body: html`${errorSummary(visitor, problems)}
${problems.length > 0 ? html`<h1>${texts.title(source)}</h1>` : heading(texts.title(source))}
${notice}
<p>${texts.intro(source)}</p>${example && html`<p class="note">${texts.example}</p>`}
<form method="post" action="${path}" novalidate>
<input type="hidden" name="form" value="${visit.formToken}">
${fields.map((field) => renderField(visitor, field, shownValue(field, typed, example), fieldErrorOf(problems, field.name)))}
<p class="actions"><button>${texts.submit}</button></p>
</form>
${handOffOffer(visitor, visit)}`,
  }
}

export function uploadPage(
  visitor: Visitor,
  visit: Visit,
  upload: { accept: readonly string[]; megabytes: number },
  problems: readonly FieldProblem[],
  status: number,
): Page {
  const texts = visitor.texts.upload
  const path = sourcePath(visit, null)
  const error = fieldErrorOf(problems, 'files')
  return {
    title: texts.title,
    step: 'connect',
    address: path,
    status,
    body: html`${errorSummary(visitor, problems)}
${problems.length > 0 ? html`<h1>${texts.title}</h1>` : heading(texts.title)}
<p>${texts.intro}</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form" value="${visit.formToken}">
<div class="${error ? 'field wrong' : 'field'}"><label for="field-files">${texts.label}</label>
<p class="hint" id="hint-files">${texts.hint(upload.accept.join(', '), upload.megabytes)}</p>${error}${error && html`<p class="hint">${texts.nothingStored}</p>`}
<input type="file" id="field-files" name="files" multiple accept="${upload.accept.join(',')}" aria-describedby="hint-files${error && ' error-files'}"${error && html` aria-invalid="true"`}></div>
<p class="actions"><button>${texts.submit}</button></p>
</form>
${handOffOffer(visitor, visit)}`,
  }
}

/**
 * Value shown in a field: the input, never a password. In the sandbox, initially the values that the simulator accepts.
 */
function shownValue(field: FormField, typed: Readonly<Record<string, string>>, example: Readonly<Record<string, string>> | null): string {
  const known = example?.[field.name] ?? ''
  return field.type === 'password' ? known : (typed[field.name] ?? known)
}

function renderField(visitor: Localization, field: FormField, value: string, error: Html | null): Html {
  const id = `field-${field.name}`
  const described = [field.hint && `hint-${field.name}`, error && `error-${field.name}`].filter(Boolean).join(' ')
  return html`<div class="${error ? 'field wrong' : 'field'}"><label for="${id}">${localize(field.label, visitor.locale)}${!field.required && html` <span class="optional">${visitor.texts.layout.optional}</span>`}</label>
${field.hint && html`<p class="hint" id="hint-${field.name}">${localize(field.hint, visitor.locale)}</p>`}${error}
<input id="${id}" name="${field.name}" type="${field.type}" value="${value}" maxlength="1000" autocapitalize="none" spellcheck="false" autocomplete="${field.autocomplete ?? 'off'}"${field.required && html` required`}${described !== '' && html` aria-describedby="${described}"`}${error && html` aria-invalid="true"`}></div>
`
}

function widgetLead(visitor: Localization, source: string, bank: ChosenBank | null): string {
  const { leadBank, leadThere } = visitor.texts.widget
  return bank ? leadBank(source, safeDisplayName(bank.name)) : leadThere(source)
}

/** Path of the step at the source, with the chosen bank. */
export function sourcePath(visit: Visit, bank: ChosenBank | null): string {
  if (!choosesBank(visit)) return pathTo(visit, '/connect/source')
  return pathTo(visit, '/connect/source', bank ? { institution: bank.id } : { choose: 'there' })
}
