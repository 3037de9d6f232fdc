/** XML as the tree that Java's XPath sees: not aware of namespaces, attributes sorted by name. */
import { SaxesParser } from "saxes";

/** What kind a node is, by DOM's numbers. */
const kinds = { element: 1, attribute: 2, text: 3, instruction: 7, comment: 8, document: 9 } as const;

/** A node with those of DOM's properties that the evaluation of paths reads. */
export class XmlNode {
  /** A prefix is no namespace, but it is not part of the name that paths tell. */
  readonly localName: string | null;
  readonly namespaceURI = null;
  ownerElement: XmlNode | null = null;
  ownerDocument: XmlNode | null = null;
  documentElement: XmlNode | null = null;
  /** Of a document: whether the name of an element or attribute has a prefix. */
  hasPrefixes = false;
  /** Of a document: whether CDATA stands where no text is before it. */
  hasCdata = false;
  parentNode: XmlNode | null = null;
  firstChild: XmlNode | null = null;
  lastChild: XmlNode | null = null;
  nextSibling: XmlNode | null = null;
  previousSibling: XmlNode | null = null;
  readonly attributes: XmlAttributes | null;

  /**
   * @param order its place in the document.
   * @param ownValue what Java's DOM holds of it: of texts and CDATA side by side, which paths take for one, the first.
   */
  constructor(
    readonly nodeType: number,
    readonly nodeName: string,
    public nodeValue: string | null,
    readonly order: number,
    readonly ownValue: string | null = nodeValue,
    attributes: readonly XmlNode[] = [],
  ) {
    const isNamed = nodeType === kinds.element || nodeType === kinds.attribute;
    this.localName = isNamed ? nodeName.slice(nodeName.indexOf(":") + 1) : null;
    this.attributes = nodeType === kinds.element ? new XmlAttributes(attributes) : null;
    for (const attribute of attributes) attribute.ownerElement = this;
  }

  /** DOM's bits for what precedes and what follows. */
  compareDocumentPosition(other: XmlNode): number {
    return other.order === this.order ? 0 : other.order < this.order ? 2 : 4;
  }

  append(child: XmlNode): void {
    child.parentNode = this;
    child.previousSibling = this.lastChild;
    if (this.lastChild) this.lastChild.nextSibling = child;
    else this.firstChild = child;
    this.lastChild = child;
  }
}

class XmlAttributes {
  constructor(private readonly nodes: readonly XmlNode[]) {}

  get length(): number {
    return this.nodes.length;
  }

  item(index: number): XmlNode | undefined {
    return this.nodes[index];
  }
}

/** @throws Error for what is not well-formed, and for document types, which may name other files and entities. */
export function readXml(text: string): XmlNode {
  let order = 0;
  const next = () => (order += 1);
  const document = new XmlNode(kinds.document, "", null, next());
  let open = document;
  const add = (node: XmlNode) => {
    node.ownerDocument = document;
    open.append(node);
    return node;
  };
  const addText = (value: string, isCdata: boolean) => {
    const before = open.lastChild;
    if (open === document) return;
    if (before?.nodeType === kinds.text) before.nodeValue = (before.nodeValue ?? "") + value;
    else {
      document.hasCdata ||= isCdata;
      add(new XmlNode(kinds.text, "", value, next()));
    }
  };
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("a document type is not read");
  });
  parser.on("xmldecl", ({ version }) => {
    if (version !== "1.0") throw new Error("XML 1.0 alone is read");
  });
  parser.on("text", (value) => addText(value, false));
  parser.on("cdata", (value) => addText(value, true));
  parser.on("comment", (value) => add(new XmlNode(kinds.comment, "", value, next())));
  parser.on("processinginstruction", ({ target, body }) => add(new XmlNode(kinds.instruction, target, body, next())));
  parser.on("opentag", ({ name, attributes }) => {
    const place = next();
    const named = Object.entries(attributes)
      .filter(([key]) => key !== "xmlns" && !key.startsWith("xmlns:"))
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
    const nodes = named.map(([key, value]) => new XmlNode(kinds.attribute, key, value, next()));
    for (const node of nodes) node.ownerDocument = document;
    document.hasPrefixes ||= [name, ...named.map(([key]) => key)].some((each) => each.includes(":"));
    const element = add(new XmlNode(kinds.element, name, null, place, null, nodes));
    if (open === document) document.documentElement = element;
    open = element;
  });
  parser.on("closetag", () => {
    open = open.parentNode ?? document;
  });
  parser.write(text).close();
  return document;
}
