export { fr, setFrench } from '../../model/french.ts'
