package dev.kilter;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The field is a variable of the node: the static one, or that of the instance that was made last. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.FIELD)
public @interface Variable {
    String value();
}
