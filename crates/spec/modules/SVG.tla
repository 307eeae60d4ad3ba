--------------------------------- MODULE SVG ---------------------------------
(* Pictures of states, as records that stand for the elements of an SVG document. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE Integers
LOCAL INSTANCE TLC
LOCAL INSTANCE FiniteSets

SVGElem(_name, _attrs, _children, _innerText) ==
  [name |-> _name, attrs |-> _attrs, children |-> _children, innerText |-> _innerText]

LOCAL Leaf(name, own, attrs, text) == SVGElem(name, own @@ attrs, <<>>, text)

Line(x1, y1, x2, y2, attrs) ==
  Leaf("line", [x1 |-> ToString(x1), y1 |-> ToString(y1), x2 |-> ToString(x2), y2 |-> ToString(y2)], attrs, "")

Circle(cx, cy, r, attrs) ==
  Leaf("circle", [cx |-> ToString(cx), cy |-> ToString(cy), r |-> ToString(r)], attrs, "")

Rect(x, y, w, h, attrs) ==
  Leaf("rect", [x |-> ToString(x), y |-> ToString(y), width |-> ToString(w), height |-> ToString(h)], attrs, "")

Text(x, y, text, attrs) == Leaf("text", [x |-> ToString(x), y |-> ToString(y)], attrs, text)

Image(x, y, width, height, href, attrs) ==
  Leaf("image",
       [x |-> ToString(x), y |-> ToString(y), width |-> ToString(width), height |-> ToString(height)]
         @@ ("xlink:href" :> href),
       attrs, "")

Group(children, attrs) == SVGElem("g", attrs, children, "")

Svg(children, attrs) == SVGElem("svg", attrs, children, "")

(* A whole document; (vbX, vbY) is its top left corner. *)
SVGDoc(children, vbX, vbY, vbW, vbH, attrs) ==
  LET box == ToString(vbX) \o " " \o ToString(vbY) \o " " \o ToString(vbW) \o " " \o ToString(vbH)
      own == [viewBox |-> box, xmlns |-> "http://www.w3.org/2000/svg"]
               @@ ("xmlns:xlink" :> "http://www.w3.org/1999/xlink")
  IN Svg(<<children>>, own @@ attrs)

(* The element as text. *)
SVGElemToString(elem) == CHOOSE s \in STRING : TRUE
-----------------------------------------------------------------------------
(* The n-th of m points on a circle, as [x |-> ..., y |-> ...]. *)
NodeOfRingNetwork(cx, cy, r, n, m) == CHOOSE p \in [x : Int, y : Int] : TRUE

(* Where a layout algorithm puts each node. *)
NodesOfDirectedMultiGraph(nodes, edges, options) == CHOOSE f \in [nodes -> [x : Int, y : Int]] : TRUE

(* The end of the first of `segment` equal parts of a line. *)
PointOnLine(from, to, segment) ==
  [x |-> from.x + ((to.x - from.x) \div segment), y |-> from.y + ((to.y - from.y) \div segment)]
-----------------------------------------------------------------------------
(* Writes the picture to a file whose name ends in the number of the frame. *)
SVGSerialize(svg, frameNamePrefix, frameNumber) ==
  LET IO == INSTANCE IOUtils
  IN IO!Serialize(SVGElemToString(svg),
                  frameNamePrefix \o IO!zeroPadN(frameNumber, 3) \o ".svg",
                  [format |-> "TXT", charset |-> "UTF-8", openOptions |-> <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>])
=============================================================================
