import { type Html, html } from '../../model/texts/html.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import { pathTo, type Visit, type Visitor } from '../visit/visitor.ts'
import { errorSummary, type FieldProblem, fieldErrorOf } from './field-problems.ts'
import { heading, type Page } from './page.ts'

export interface MissingBank {
  name: string
  country: string
  website: string
}

/** Form for a bank that is not in the directory. */
export function missingBankPage(
  visitor: Visitor,
  visit: Visit,
  { typed, canUpload, problems }: { typed: MissingBank; canUpload: boolean; problems: readonly FieldProblem[] },
): Page {
  const texts = visitor.texts.missing
  const address = pathTo(visit, '/connect/institutions/missing')
  const nameError = fieldErrorOf(problems, 'name')
  const countries = [
    ['CA', texts.countries.CA],
    ['US', texts.countries.US],
    ['', texts.countries.other],
  ] as const
  return {
    title: texts.title,
    step: 'bank',
    address,
    status: problems.length > 0 ? 422 : 200,
    body: html`${errorSummary(visitor, problems)}
${problems.length > 0 ? html`<h1>${texts.title}</h1>` : heading(texts.title)}
<p>${texts.intro(visit.requester)}</p>
<form method="post" action="${address}" novalidate>
<input type="hidden" name="form" value="${visit.formToken}">
<div class="${nameError ? 'field wrong' : 'field'}"><label for="field-name">${texts.name}</label>${nameError}
<input id="field-name" name="name" value="${typed.name}" maxlength="200" required autocomplete="off"${nameError && html` aria-invalid="true" aria-describedby="error-name"`}></div>
<div class="field"><label for="field-country">${texts.country}</label>
<select id="field-country" name="country">${countries.map(
      ([code, name]) => html`<option value="${code}"${code === typed.country && html` selected`}>${name}</option>`,
    )}</select></div>
<div class="field"><label for="field-website">${texts.website} <span class="optional">${visitor.texts.layout.optional}</span></label>
<input id="field-website" name="website" value="${typed.website}" maxlength="200" type="url" autocomplete="off"></div>
<p class="actions"><button>${texts.send}</button> <a class="button quiet" href="${pathTo(visit, '/connect/institutions')}">${texts.back}</a></p>
</form>
${canUpload && renderUpload(visitor, visit, 'quiet')}`,
  }
}

/** What was recorded, the next steps, and what the owner can do in the meantime. */
export function bankNotedPage(
  visitor: Visitor,
  visit: Visit,
  { noted, canUpload }: { noted: { id: string; name: string }; canUpload: boolean },
): Page {
  const texts = visitor.texts.missing
  const { source, requester } = visit
  return {
    title: texts.sentTitle,
    step: 'bank',
    address: pathTo(visit, '/connect/institutions/noted', { request: noted.id }),
    body: html`<p class="tick" aria-hidden="true"></p>
${heading(texts.sentTitle)}
<p>${texts.sentText(safeDisplayName(noted.name), requester)}</p>
<h2>${texts.nextTitle}</h2>
<ol class="next"><li>${texts.nextAnswer(requester)}</li><li>${texts.nextLink(requester)}</li></ol>
${canUpload && renderUpload(visitor, visit, '')}
<section class="aside"><p>${texts.nextOther(source)}</p>
<p class="actions"><a class="button quiet" href="${pathTo(visit, '/connect/institutions')}">${texts.back}</a>
<a class="button quiet" href="${pathTo(visit, '/connect/source', { choose: 'there' })}">${visitor.texts.bank.skip(source)}</a></p></section>`,
  }
}

function renderUpload(visitor: Visitor, visit: Visit, look: 'quiet' | ''): Html {
  const texts = visitor.texts.missing
  return html`<section class="aside"><h2>${texts.uploadTitle}</h2>
<p>${texts.uploadText(visit.requester)}</p>
<form method="post" action="${pathTo(visit, '/connect/institutions/statements')}" class="actions">
<input type="hidden" name="form" value="${visit.formToken}">
<button${look !== '' && html` class="${look}"`}>${texts.upload}</button>
</form></section>`
}
