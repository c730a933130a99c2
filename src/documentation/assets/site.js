// The script of all pages; each page can be read without it.
import { decorateCode, startLanguages } from './code.js'
import { startMenu } from './menu.js'
import { startOutline } from './outline.js'
import { startSearchBox } from './search-box.js'
import { startSearchPage } from './search-page.js'

decorateCode(document)
startLanguages()
startMenu()
startOutline()
if (document.querySelector('#search-results')) startSearchPage()
else startSearchBox()
document.addEventListener('code-added', ({ target }) => decorateCode(target))
