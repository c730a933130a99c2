import { type Html, html } from '../../model/texts/html.ts'
import { type Localization, pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { errorSummary, fieldErrorOf } from './field-problems.ts'
import { heading, type Page } from './page.ts'

/** Form for a receipt and reminders by mail. */
export function remindersForm(visitor: Visitor, visit: Visit, back: string): Html {
  const texts = visitor.texts.reminders
  return html`<section class="aside"><h2>${texts.title}</h2>
${renderForm(visitor, visit, { typed: '', back, error: null })}</section>`
}

/** The same on a separate page, with errors in the input. */
export function remindersPage(
  visitor: Visitor,
  visit: Visit,
  typed: string,
  back: string,
  refusal: { text: string; status: number },
): Page {
  const texts = visitor.texts.reminders
  const problems = [{ field: 'email', text: refusal.text }]
  return {
    title: texts.title,
    address: back,
    status: refusal.status,
    body: html`${errorSummary(visitor, problems)}
<h1>${texts.title}</h1>
${renderForm(visitor, visit, { typed, back, error: fieldErrorOf(problems, 'email') })}`,
  }
}

export function remindersKeptPage(visitor: Localization, visit: Visit, back: string): Page {
  const texts = visitor.texts.reminders
  return {
    title: texts.keptTitle,
    address: pathTo(visit, '/connect/reminders', { back }),
    body: html`${heading(texts.keptTitle)}
<p>${texts.keptText}</p>
<p class="actions"><a class="button quiet" href="${back}">${texts.back}</a></p>`,
  }
}

function renderForm(visitor: Visitor, visit: Visit, { typed, back, error }: { typed: string; back: string; error: Html | null }): Html {
  const texts = visitor.texts.reminders
  return html`<form method="post" action="${pathTo(visit, '/connect/reminders')}" novalidate>
<input type="hidden" name="form" value="${visit.formToken}">
<input type="hidden" name="back" value="${back}">
<div class="${error ? 'field wrong' : 'field'}"><label for="field-email">${texts.label} <span class="optional">${visitor.texts.layout.optional}</span></label>
<p class="hint" id="hint-email">${texts.hint}</p>${error}
<input id="field-email" name="email" type="email" value="${typed}" maxlength="254" autocomplete="email" aria-describedby="hint-email${error && ' error-email'}"${error && html` aria-invalid="true"`}></div>
<p class="actions"><button class="quiet">${texts.save}</button></p>
</form>`
}
