// On narrow screens the menu opens over the page; without a script its link leads to the menu below the text.

export function startMenu() {
  const toggle = document.querySelector('.to-menu')
  const menu = document.querySelector('#menu')
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'to-menu', textContent: 'Menu' })
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', 'menu')
  toggle.replaceWith(button)

  function open(isOpen) {
    document.body.classList.toggle('is-open', isOpen)
    button.setAttribute('aria-expanded', String(isOpen))
    button.textContent = isOpen ? 'Close' : 'Menu'
    document.querySelector('main').inert = isOpen
    if (isOpen) menu.focus()
  }

  button.addEventListener('click', () => open(!document.body.classList.contains('is-open')))
  menu.addEventListener('click', ({ target }) => {
    if (target.closest('a')) open(false)
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !document.body.classList.contains('is-open')) return
    open(false)
    button.focus()
  })
  matchMedia('(min-width: 60rem)').addEventListener('change', () => open(false))
  document.body.classList.add('has-toggle')
  if (matchMedia('(min-width: 60rem)').matches) menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
}
