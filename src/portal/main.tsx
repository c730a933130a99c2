import './styles/library.css'
import './styles/colours.css'
import './styles/frame.css'
import './styles/parts.css'
import './styles/data.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no place for the portal')
createRoot(root).render(<App />)
