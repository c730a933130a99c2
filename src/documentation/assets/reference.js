// Tries operations from their page, with a key that is kept in this page only and sent to this deployment alone.
let key = ''

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function labelled(text, id, field) {
  return element('p', {}, [element('label', { htmlFor: id, textContent: text }), field])
}

function input(id, properties) {
  return element('input', { id, autocomplete: 'off', spellcheck: false, ...properties })
}

/** Builds the form when it is first opened. */
function prepare(place) {
  const trial = JSON.parse(place.dataset.trial)
  const details = element('details', {}, [element('summary', { textContent: 'Try it' })])
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(formOf(trial))
    if (details.open) details.querySelector('[name=key]').value = key
  })
  place.append(details)
}

function formOf(trial) {
  const id = (name) => `try-${trial.id}-${name}`
  const keyField = input(id('key'), { type: 'password', name: 'key', value: key })
  const fields = trial.fields.map((field) => ({ ...field, control: input(id(field.name), { required: field.required }) }))
  const body = trial.body === null ? null : element('textarea', { id: id('body'), rows: 8, value: trial.body, spellcheck: false })
  const result = element('div', { role: 'status' })
  const form = element('form', {}, [
    labelled('API key or token (stays in this page)', id('key'), keyField),
    ...fields.map(({ name, required, control }) => labelled(required ? `${name} (required)` : name, control.id, control)),
    ...(body ? [labelled('Body', body.id, body)] : []),
    element('button', { textContent: `Send ${trial.method}` }),
    result,
  ])
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    key = keyField.value.trim()
    send(trial, fields, body, result)
  })
  return form
}

async function send(trial, fields, body, result) {
  const given = (place) =>
    fields.filter((field) => field.in === place && field.control.value !== '').map(({ name, control }) => [name, control.value])
  const path = given('path').reduce((made, [name, value]) => made.replace(`{${name}}`, encodeURIComponent(value)), trial.path)
  const query = new URLSearchParams(given('query')).toString()
  const headers = new Headers(given('header'))
  if (key !== '') headers.set('authorization', `Bearer ${key}`)
  if (body) headers.set('content-type', 'application/json')
  result.replaceChildren('Sending …')
  try {
    // The session of a portal in the same browser is not used.
    const answer = await fetch(query === '' ? path : `${path}?${query}`, {
      method: trial.method,
      headers,
      credentials: 'omit',
      cache: 'no-store',
      ...(body ? { body: body.value } : {}),
    })
    const text = await answer.text()
    const shown = element('pre', { tabIndex: 0 }, [element('code', { className: 'language-json', textContent: indented(text) })])
    result.replaceChildren(element('p', { textContent: `Status ${answer.status}` }), ...(text === '' ? [] : [shown]))
    result.dispatchEvent(new Event('code-added', { bubbles: true }))
  } catch (error) {
    result.replaceChildren(`No answer: ${error.message}`)
  }
}

/** JSON over lines; numbers keep every digit, where the browser can tell them. */
function indented(text) {
  if (typeof JSON.rawJSON !== 'function') return text
  try {
    const value = JSON.parse(text, (_name, each, { source } = {}) => (typeof each === 'number' && source ? JSON.rawJSON(source) : each))
    return JSON.stringify(value, null, 2)
  } catch {
    return text
  }
}

for (const place of document.querySelectorAll('[data-trial]')) prepare(place)
